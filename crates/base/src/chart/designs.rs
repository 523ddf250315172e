//! Designs that several methods share, and those that stored results of the first version name by a word.
//!
//! Two charts are comparable if their quantities are equal; so each quantity shared by several designs is a constant,
//! and code that looks for rates over positions uses [`POSITION`] and [`RATE`].

use super::{Axis, Design, Layout, Shape, Text};

/// Where on the target, from its beginning.
pub const POSITION: Text = Text::new("Position", "位置");
/// Time since the phase or the run began.
pub const ELAPSED: Text = Text::new("Time", "経過時間");
/// Bytes moved over time.
pub const RATE: Text = Text::new("Transfer rate", "転送速度");
/// How long one I/O took.
pub const LATENCY: Text = Text::new("Latency", "応答時間");
/// I/Os done over time.
pub const IOPS: Text = Text::new("I/Os per second", "毎秒の I/O 数");
/// How much one access moves.
pub const ACCESS_SIZE: Text = Text::new("Access size", "アクセスサイズ");
/// How much there is by now.
pub const AMOUNT: Text = Text::new("Amount", "容量");

const ELAPSED_AXIS: Axis = Axis::linear(ELAPSED, "s");
const RATE_AXIS: Axis = Axis::linear(RATE, "MB/s");
const LATENCY_AXIS: Axis = Axis::log(LATENCY, "ms");
/// A rate whose curves may be far apart.
const DRIVES_RATE_AXIS: Axis = Axis::adaptive(RATE, "MB/s");

/// x: position in bytes; y: MB/s (10^6), with a band from the slowest to the fastest.
pub const TRANSFER: Design = Design::overlaid(
    Text::new("Transfer rate by position", "位置ごとの転送速度"),
    Text::new(
        "One line for each drive: MB/s from the first to the last position, with a band from the slowest to the fastest part of each position.",
        "ドライブごとに 1 本の線。先頭から末尾までの転送速度 (MB/s) と、各位置での最小～最大の幅。",
    ),
    Axis::linear(POSITION, "B"),
    DRIVES_RATE_AXIS,
);

/// x: response time in us, lower edge of a bucket; y: number of I/Os in it.
pub const RESPONSE: Design = Design {
    title: Text::new("Response times", "応答時間分布"),
    explanation: Text::new(
        "A histogram on logarithmic axes: how many I/Os took how long. Writes are blue, reads orange, where both are there purple.",
        "両対数軸のヒストグラム。応答時間ごとの I/O 数。書き込みは青、読み込みは橙、両者の重なりは紫。",
    ),
    layout: Layout::Panels,
    shape: Shape::Histogram,
    x: Axis::log(Text::new("Response time", "応答時間"), "us"),
    y: Axis::log(Text::new("Number of I/Os", "I/O 数"), ""),
    panels_too: false,
    right: None,
};

/// x: number of responses per longer one (2 is the median, 1,000 the 99.9th percentile); y: ms.
pub const PERCENTILES: Design = Design::overlaid(
    Text::new("Response percentiles", "応答時間のパーセンタイル"),
    Text::new(
        "Bars from the median to the rare ones: as many in a hundred responses are no longer than this.",
        "中央値からまれな遅延まで。各割合の応答がこの時間以内に収まる。",
    ),
    Axis::log(Text::new("Percentile", "パーセンタイル"), "one-in"),
    LATENCY_AXIS,
)
.drawn_as(Shape::Bars);

/// x: seconds; y: I/Os of that second. The scatter of the dots shows how much the drive's service varies.
pub const CONSISTENCY: Design = Design::overlaid(
    Text::new("Performance consistency", "性能の安定性"),
    Text::new(
        "A dot for each second: its I/Os. A drive that serves evenly draws a line, one that stops and starts a cloud.",
        "1 秒ごとの I/O 数を 1 点で示す。安定したドライブは線に、ムラのあるドライブは雲状になる。",
    ),
    ELAPSED_AXIS,
    Axis::log(IOPS, ""),
)
.drawn_as(Shape::Dots);

/// x: seconds since the phase began; y: latency in ms (mean, band up to the worst).
pub const LATENCY_OVER_TIME: Design = Design::panels(
    Text::new("Latency over time", "応答時間の推移"),
    Text::new(
        "Mean latency of each interval with a band up to the worst; diamonds mark the worst I/Os one by one, and steps of the level.",
        "区間ごとの平均応答時間と、最悪値までの幅。ひし形は最も遅かった個々の I/O と水準の変化点。",
    ),
    ELAPSED_AXIS,
    LATENCY_AXIS,
);

/// x: seconds since the phase began; y: MB/s (10^6).
pub const RATE_OVER_TIME: Design = Design::overlaid(
    Text::new("Transfer rate over time", "転送速度の推移"),
    Text::new(
        "MB/s of each interval; diamonds mark where the level steps: a cache is full, the drive throttles, collection begins.",
        "区間ごとの転送速度 (MB/s)。ひし形は水準の変化点 (キャッシュ切れ、発熱による制限、ガベージコレクションの開始)。",
    ),
    ELAPSED_AXIS,
    DRIVES_RATE_AXIS,
);

/// x: seconds since the run began; y: the drive's temperature in degrees Celsius.
pub const TEMPERATURE: Design = Design::overlaid(
    Text::new("Temperature over time", "温度の推移"),
    Text::new(
        "Each drive's own temperature reading, from the beginning of the run.",
        "測定開始からの、各ドライブが報告した温度。",
    ),
    ELAPSED_AXIS,
    Axis::adaptive(Text::new("Temperature", "温度"), "°C"),
);

/// x: round of the same work, from 1; y: its value, in per cent of the mean over the rounds that make up the figure.
pub const ROUNDS: Design = Design::panels(
    Text::new("Rounds until steady", "定常状態までのラウンド"),
    Text::new(
        "The same work round by round, each line in % of its own mean over the rounds that the figures are made of; diamonds mark those rounds where the drive was steady.",
        "同じ処理をラウンドごとに繰り返した結果。各線は、測定値に使ったラウンドの平均に対する %。ひし形は定常状態と判定したラウンド。",
    ),
    Axis::linear(Text::new("Round", "ラウンド"), ""),
    Axis::linear(
        Text::new(
            "Share of the last rounds' mean",
            "最後のラウンドの平均に対する割合",
        ),
        "%",
    ),
);

/// x: I/Os per second; y: latency in ms.
pub const LOAD: Design = Design::panels(
    Text::new("Latency against load", "負荷に対する応答時間"),
    Text::new(
        "Latency at each rate of I/Os, on logarithmic axes.",
        "毎秒の I/O 数に対する応答時間 (両対数軸)。",
    ),
    Axis::log(IOPS, ""),
    LATENCY_AXIS,
);

/// x: writes per second; y: reads per second.
pub const FRONTIER: Design = Design::panels(
    Text::new(
        "Reads served in time against writes",
        "書き込み負荷下で期限内に処理できる読み込み数",
    ),
    Text::new(
        "Below the line the drive still serves its reads in time at that rate of writes.",
        "線より下では、その書き込みを受けながら読み込みが間に合う。",
    ),
    Axis::linear(Text::new("Writes per second", "毎秒の書き込み数"), ""),
    Axis::linear(Text::new("Reads per second", "毎秒の読み込み数"), ""),
);

/// x: GiB that random reads are spread over; y: mean microseconds of one at a time.
pub const READ_BY_RANGE: Design = Design::panels(
    Text::new("Reads over a range", "範囲別の読み出し"),
    Text::new(
        "Mean response of single reads over more and more of the drive, scattered over all of it. A step shows how much of the address map is in memory.",
        "ドライブ全体に散らした範囲を広げながら測った、単発読み出しの平均応答時間。段差はアドレス変換表のうちメモリー上にある量を示す。",
    ),
    Axis::log2(Text::new("Range", "範囲"), "GiB"),
    Axis::linear(LATENCY, "us"),
);

/// x: pages between two reads that are sent together; y: mean microseconds of the slower one.
pub const PAIRS_BY_DISTANCE: Design = Design::panels(
    Text::new("Pairs of reads by distance", "距離別の読み出しの対"),
    Text::new(
        "Two reads are sent together, some pages apart. Where they meet on one die, one waits for the other: peaks that come again are the stripe.",
        "ページ単位で離れた 2 つの読み出しを同時に送る。同じダイに当たると一方が待つ。周期的に現れる山がストライプである。",
    ),
    Axis::linear(Text::new("Distance", "距離"), "pages"),
    Axis::linear(LATENCY, "us"),
);

/// x: GB (10^9) written in order; y: MB/s (10^6).
pub const RATE_BY_WRITTEN: Design = Design::panels(
    Text::new(
        "Write rate by the amount written",
        "書き込み量と書き込み速度",
    ),
    Text::new(
        "MB/s of writes in order from an empty drive on. A fall that stays is the end of a fast part: a one-bit (SLC) cache, or throttling.",
        "空のドライブに順に書き込んだときの MB/s。戻らない落ち込みは高速な部分の終わりで、SLCキャッシュの枯渇かサーマルスロットリングである。",
    ),
    Axis::linear(AMOUNT, "GB"),
    RATE_AXIS,
);

/// x: reads in flight; y: reads a second.
pub const RATE_BY_DEPTH: Design = Design::overlaid(
    Text::new("Reads by queue depth", "キュー深度別の読み出し"),
    Text::new(
        "Random reads a second with more and more in flight.",
        "同時に発行する数を増やしながら測った、毎秒のランダム読み出し数。",
    ),
    Axis::log2(Text::new("Queue depth", "キュー深度"), ""),
    Axis::log(IOPS, "IOPS"),
);

/// x: GB (10^9) written by the host; y: flash bytes per host byte.
pub const AMPLIFICATION: Design = Design::overlaid(
    Text::new("Write amplification", "書き込み増幅"),
    Text::new(
        "Bytes written to flash per byte from the host, step by step, by the drive's own counters.",
        "ドライブ自身のカウンターによる、ホスト書き込み 1 バイトあたりの NAND 書き込みバイト数。ステップごとの値。",
    ),
    Axis::linear(Text::new("Written by the host", "ホスト書き込み量"), "GB"),
    Axis::linear(
        Text::new(
            "Flash bytes per host byte",
            "ホスト 1 バイトあたりの NAND 書き込み",
        ),
        "",
    ),
);

/// x: seconds since the phase began; y: GB (10^9).
pub const VOLUME: Design = Design::panels(
    Text::new("Volume over time", "経過時間と容量"),
    Text::new("GB by each time.", "各経過時間で高速に書ける容量 (GB)。"),
    ELAPSED_AXIS,
    Axis::linear(AMOUNT, "GB"),
);

/// x: position in bytes; y: response time in ms (mean, band from the least to the greatest).
pub const ACCESS: Design = Design::panels(
    Text::new("Access time by position", "位置別アクセス時間"),
    Text::new(
        "The mean response of each part of the drive, with a band from the shortest to the longest.",
        "各位置の平均応答時間と、最短から最長までの帯。",
    ),
    Axis::linear(POSITION, "B"),
    LATENCY_AXIS,
);

/// x: bytes per access; y: MB/s (10^6).
pub const SIZES: Design = Design::panels(
    Text::new("Transfer rate by access size", "アクセスサイズ別の転送速度"),
    Text::new(
        "Bars for each access size, as ATTO draws them: MB/s of writes and reads side by side.",
        "ATTO と同じく、アクセスサイズごとに書き込みと読み込みの MB/s を並べた棒。",
    ),
    Axis::log2(ACCESS_SIZE, "B"),
    RATE_AXIS,
)
.drawn_as(Shape::Bars);

/// x: per cent of the written data that can be compressed; y: MB/s (10^6).
pub const COMPRESSION: Design = Design::panels(
    Text::new("Transfer rate by compressibility", "圧縮率別の転送速度"),
    Text::new(
        "MB/s by the share of the data that can be compressed.",
        "データのうち圧縮できる割合ごとのMB/s。",
    ),
    Axis::linear(
        Text::new("Compressible share of the data", "圧縮できるデータの割合"),
        "%",
    )
    .within([0.0, 100.0]),
    RATE_AXIS,
);

/// The design that `drivelab.result/1` named by a word; `None` for a word that it had not.
pub(super) fn of_first_version(kind: &str) -> Option<Design> {
    Some(match kind {
        "transfer" => TRANSFER,
        "response" => RESPONSE,
        "latency" => LATENCY_OVER_TIME,
        "rate" => RATE_OVER_TIME,
        "temperature" => TEMPERATURE,
        "rounds" => ROUNDS,
        "load" => LOAD,
        "frontier" => FRONTIER,
        "volume" => VOLUME,
        "access" => ACCESS,
        "sizes" => SIZES,
        "compression" => COMPRESSION,
        _ => return None,
    })
}
