//! Tests of the summary for the terminal: what it says first, its columns, notes and warnings.

use super::*;
use fixtures::results as sample;
use unicode_width::UnicodeWidthStr;

/// A review with everything that needs a note: a missing value, and one that is not comparable.
fn review() -> Vec<RunResult> {
    let mut results = sample::review();
    results.retain(|r| r.method == "crystaldiskmark" || r.method == "latency-watch");
    let evo = &mut results[1].figures[0];
    evo.comparable_by.span = base::span::Span::first(base::size::Bytes::mib(512)).said();
    results
}

#[test]
fn what_is_the_matter_with_a_drive_is_said_behind_a_single_method_and_not_twice_in_a_review() {
    let mut all = sample::review();
    all.retain(|result| result.method == "latency-watch");
    let shingled = all.last_mut().unwrap();
    (shingled.target.identity).insert("recording".to_owned(), "shingled".to_owned());
    let one = summary(std::slice::from_ref(shingled), &TerminalOptions::default());
    assert!(one.contains("\n* The disk is shingled (SMR)"), "{one}");
    assert!(
        one.replace("\n  ", " ").contains("keep it out of RAID"),
        "{one}"
    );
    let several = summary(&review(), &TerminalOptions::default());
    assert!(!several.contains("\n* "), "{several}");
}

#[test]
fn a_summary_has_a_table_for_each_method_and_the_warnings_after() {
    let options = TerminalOptions {
        columns: 100,
        ..TerminalOptions::default()
    };
    insta::assert_snapshot!(summary(&review(), &options), @r#"
    CrystalDiskMark 8/9
    Example NVMe 1TB (test file): Sequential reads 3.5 GB/s, writes 3 GB/s; 16,400 IOPS of small random
    reads at queue depth 1 (67.1 MB/s). Best runs; uses are judged by medians.
    Samsung 840 EVO 750GB: Sequential reads 541 MB/s, writes 519 MB/s; 10,400 IOPS of small random reads
    at queue depth 1 (42.7 MB/s). Best runs; uses are judged by medians.
    HGST Deskstar NAS 3TB: Sequential reads 174 MB/s, writes 172 MB/s; 78.7 IOPS of small random reads
    at queue depth 1 (0.323 MB/s). Best runs; uses are judged by medians.

    Scale default, shortened or changed: not comparable with published figures.
    Example NVMe 1TB (test file): state before the test unknown; compare with caution.

                              Example NVMe 1TB (test     Samsung 840 EVO 750GB     HGST Deskstar NAS 3TB
                                        file) [real]                [modelled]                [modelled]
    SEQ1M Q8T1 read    MB/s                  3,480 +                 541.0 [1]                   174.0 -
    SEQ1M Q1T1 read    MB/s                  2,471 +                 384.1                       123.5 -
    RND4K Q32T1 read   MB/s                  1,602 +                 401.8                       0.766 -
    RND4K Q1T1 read    MB/s                  67.15 +                 42.67                       0.323 -
    SEQ1M Q8T1 write   MB/s                  2,993 +                 519.4                       172.3 -
    SEQ1M Q1T1 write   MB/s                  2,125 +                 368.7                       122.3 -
    RND4K Q32T1 write  MB/s                  1,442 +                 362.1                        1.28 -
    RND4K Q1T1 write   MB/s                  240.9 +                 141.2                       0.694 -
    + best, - worst of the row
    [1] not comparable, not ranked: span 512 MiB from 0 B, elsewhere 1 GiB from 0 B

    Latency watch
    Example NVMe 1TB (test file): No stall of 100 ms or more in 800 ms; the longest response 9.7 ms
    alone, 36 ms under load.
    Samsung 840 EVO 750GB: No stall of 100 ms or more in 800 ms; the longest response 4.1 ms alone, 15
    ms (by the model, unverified) under load.
    HGST Deskstar NAS 3TB: Stutters even when almost idle: 18 times a minute, for up to 412 ms (by the
    model, unverified). Under load 18 times a minute.

    Scale default, shortened or changed: not comparable with published figures.
    Example NVMe 1TB (test file): state before the test unknown; compare with caution.

                                         Example NVMe 1TB   Samsung 840 EVO 750GB  HGST Deskstar NAS 3TB
                                       (test file) [real]              [modelled]             [modelled]
    alone median                ms               0.0610 +            0.0960                  12.70 -
    alone p99                   ms                0.110               0.173 ~ [1]            22.86 ~ [1]
    alone p99.9                 ms                0.159               0.250 ~ [1]            33.02 ~ [1]
    alone worst                 ms                 9.70                4.10 ~ [1]            412.0 ~ [1]
    alone stutters              /min               0.00                0.00 ~ [1]            18.00 ~ [1]
    under load median           ms                0.226 +             0.355                  46.99 -
    under load p99              ms                0.406               0.639 ~ [1]            84.58 ~ [1]
    under load p99.9            ms                0.587               0.924 ~ [1]            122.2 ~ [1]
    under load worst            ms                35.89               15.17 ~ [1]            1,524 ~ [1]
    under load stutters         /min               0.00                0.00 ~ [1]            18.00 ~ [1]
    under load background rate  IOPS             43,444 +            10,900 -                  n/a [2]
    + best, - worst of the row
    ~ modelled, not compared with any real drive; ~13% or ~x1.5 compared, and off by that much
    [1] not comparable, not ranked: tail modelled, elsewhere measured
    [2] no value: nothing was completed

    High percentiles, longest responses and standstills of modelled drives: Samsung 840 EVO 750GB, HGST
    Deskstar NAS 3TB not compared with any real drive.

    Warnings
    ! Example NVMe 1TB (test file), CrystalDiskMark 8/9: the file system is 91 % full: a drive with
      little free space may write more slowly
    "#);
}

#[test]
fn a_narrow_japanese_terminal_keeps_its_columns() {
    let options = TerminalOptions {
        columns: 60,
        lang: Lang::Ja,
        ..TerminalOptions::default()
    };
    insta::assert_snapshot!(summary(&review()[..3], &options), @r#"
    CrystalDiskMark 8/9
    Example NVMe 1TB (test file): シーケンシャルは読み込み 3.5
    GB/s、書き込み 3 GB/s。小さなランダム読み込み (QD1) は
    16,400 IOPS (67.1 MB/s)。各テストの最良値。用途の判定は中央
    値による。
    Samsung 840 EVO 750GB: シーケンシャルは読み込み 541
    MB/s、書き込み 519 MB/s。小さなランダム読み込み (QD1) は
    10,400 IOPS (42.7 MB/s)。各テストの最良値。用途の判定は中央
    値による。
    HGST Deskstar NAS 3TB: シーケンシャルは読み込み 174
    MB/s、書き込み 172 MB/s。小さなランダム読み込み (QD1) は
    78.7 IOPS (0.323 MB/s)。各テストの最良値。用途の判定は中央値
    による。

    測定規模: 標準。短縮または設定変更あり
    (公表値との比較は不可)。
    Example NVMe 1TB (test file): 測定前の状態が不明のため、比較
    は参考程度。

                                  Example
                                 NVMe 1TB    Samsung       HGST
                                    (test    840 EVO   Deskstar
                                    file)      750GB    NAS 3TB
                                   [実機]   [モデル]   [モデル]
    SEQ1M Q8T1 読み込み   MB/s    3,480 +  541.0 [1]    174.0 -
    SEQ1M Q1T1 読み込み   MB/s    2,471 +  384.1        123.5 -
    RND4K Q32T1 読み込み  MB/s    1,602 +  401.8        0.766 -
    RND4K Q1T1 読み込み   MB/s    67.15 +  42.67        0.323 -
    SEQ1M Q8T1 書き込み   MB/s    2,993 +  519.4        172.3 -
    SEQ1M Q1T1 書き込み   MB/s    2,125 +  368.7        122.3 -
    RND4K Q32T1 書き込み  MB/s    1,442 +  362.1         1.28 -
    RND4K Q1T1 書き込み   MB/s    240.9 +  141.2        0.694 -
    +: 行の最良値。-: 行の最低値
    [1] 比較不可のため順位なし: 測定範囲: 0 B から 512 MiB (他は
        0 B から 1 GiB)

    モデルの高パーセンタイル、最長応答、停止時間: Samsung 840
    EVO 750GB、HGST Deskstar NAS 3TB は実機と未比較。

    警告
    ! Example NVMe 1TB (test file)、CrystalDiskMark 8/9: the
      file system is 91 % full: a drive with little free space
      may write more slowly
    "#);
}

#[test]
fn colours_are_there_only_where_they_are_wanted() {
    let plain = summary(&review(), &TerminalOptions::default());
    assert!(!plain.contains('\u{1b}'));
    let coloured = TerminalOptions {
        colour: true,
        ..TerminalOptions::default()
    };
    let coloured = summary(&review(), &coloured);
    assert!(
        coloured.contains("\u{1b}[1m\u{1b}[38;5;33m"),
        "{coloured:?}"
    );
    assert!(coloured.contains("\u{1b}[38;5;208m"));
}

#[test]
fn no_table_line_is_wider_than_the_terminal() {
    for lang in Lang::ALL {
        for columns in [60, 80, 132] {
            let options = TerminalOptions {
                columns,
                colour: false,
                lang,
            };
            let text = summary(&sample::review(), &options);
            let widest = text.lines().max_by_key(|line| line.width()).unwrap();
            assert!(widest.width() <= columns, "{columns}: {widest}");
        }
    }
}

#[test]
fn nothing_measured_is_an_empty_summary() {
    assert_eq!(summary(&[], &TerminalOptions::default()), "");
}
