//! Files of other tools: whatever is read becomes a result that is stored as JSON and read back.

use imports::{Source, into_result};
use results::RunResult;

pub(crate) const WORDS: &[&str] = &[
    "CrystalDiskMark 8.0.4 x64\r\n",
    "KDiskMark (3.2.0)\n",
    "[Mix] Read 70%/Write 30%\n",
    "SEQ 1MiB (Q= 8, T= 1): 1.5 MB/s [ 1.4 IOPS] < 2.00 us>\n",
    "Test: 1 GiB (x5) [D: 3% (1/9GiB)]\n",
    "{\"fio version\" : \"fio-3.33\", \"jobs\" : [",
    "\"bins\" : {\"1\" : 18446744073709551615}",
    "<Results>",
    "<TestTimeSeconds>0.01</TestTimeSeconds>",
    "</Results>",
    "'Test Type,",
    "'Target Type,",
    "ALL,",
    "HD Tune: X Benchmark\n",
    "0, 1, 0, 4096\n",
    "# Mapfile. Created by GNU ddrescue version 1\n",
    "0xFFFFFFFFFFFFFFFF 0x1 +\n",
    "date,serial_number,model,capacity_bytes,failure\n",
    "99999999999999999999.99999",
    "\u{feff}",
    "-1",
    ",",
    "\n",
];

pub(crate) fn run(input: &[u8]) {
    match imports::read(input) {
        Err(why) => super::refusal(&why),
        Ok(imported) => {
            assert!(!imported.figures.is_empty(), "a result without figures");
            let source = Source {
                file: "a",
                bytes: input,
                drivelab: "0",
                command: &[],
            };
            let result = into_result(imported, source);
            let text = serde_json::to_string(&result).expect("a result is stored as JSON");
            let again: RunResult = serde_json::from_str(&text).expect("a stored result is read");
            assert_eq!(again.figures.len(), result.figures.len());
            assert!(
                result
                    .figures
                    .iter()
                    .all(|f| f.value.is_none_or(f64::is_finite))
            );
        }
    }
}
