# Sentences that methods, the lab, plans and the command line say, in Japanese, by key (base::message). Each is one line;
# what stands in a place has the name of the place.

# Before a run: what it takes and what it writes
forecast-step = { $method } ({ $target }): { $takes }、{ $writes }
forecast-step-assuming = { $step } ({ $rate } MB/s と仮定)
forecast-about = 約 { $time }
forecast-simulated = モデル内の時間で { $takes } (シミュレーションは約 { $time })
forecast-writes-nothing = 書き込みなし
forecast-writes = 書き込み { $written }
forecast-target-about = { $target } への書き込みは約 { $written }
forecast-target-most = { $target } への書き込みは最大 { $written }
forecast-share = { $line } (公称耐久量 { $rated } の { $percent } %)
forecast-share-unknown = { $line } (公称耐久量は不明。計画ファイルの rated_endurance で指定できる)
forecast-share-simulated = { $line } (シミュレーション内のみ)
forecast-real-about = 実ドライブの所要時間: 約 { $time }
forecast-real-most = 実ドライブの所要時間: 最大 { $time }
forecast-models = ドライブモデル: シミュレーションは約 { $time }。このコンピューターのドライブには書き込まない
forecast-in-test-file = { $target }: 書き込み約 { $written }、読み込み約 { $read }、所要時間約 { $time }。テストファイル (最大 { $file }) の中で行い、終了後に削除する
forecast-only-read = { $target }: 書き込みなし、読み込み約 { $read }、所要時間約 { $time }
forecast-read-and-written = { $target }: 書き込み約 { $written }、読み込み約 { $read }、所要時間約 { $time }
forecast-class = 同クラスのドライブモデル { $drives } 台でも { $method } を行う: プロセッサ時間で約 { $seconds } 秒
dry-run-of = { $method } ({ $target })
dry-run-test-file = { $file } の新しいテストファイルの中で行う (読み込む前に書き込み、最後に削除する)
dry-run-more = ... 同様の範囲があと { $ranges } か所
dry-run-range = 書き込み: バイト { $start } から { $end } ({ $length })
dry-run-overwritten = { $bytes } バイト ({ $size }) を上書きする (一部は複数回)
dry-run-may-be-overwritten = { $bytes } バイト ({ $size }) を上書きすることがある (一部は複数回)
dry-run-lost = 失われるもの: { $what }
dry-run-repeated = 以上を最大 { $times } 回繰り返す (--repeat { $rule })
dry-run-takes = 所要時間: 最大 { $time }
dry-run-takes-about = 所要時間: 約 { $time } ({ $rate } MB/s と仮定)

# Before a drive is written: what is on it, and the question
lost-on = { $target } の内容: { $what }
lost-all = { $target } の内容はすべて失われる。続けるには { $token } を入力する:
delete-these = { $what } を削除するか (yes または no)

# While a plan or a run goes on
progress-left = 残り { $time }
progress-in-all = 全体の残り { $time }
progress-building = { $target } を構築中
progress-run = { $method } ({ $target })
progress-step = { $number }/{ $steps }: { $target } を { $method } で測定
progress-step-without = { $number }/{ $steps }: { $target } の { $method }: { $why }
step-without-result = 手順 { $number }、{ $target } の { $method }: { $state }: { $why }
resuming-plan = 計画 { $plan } を再開する: { $steps } 手順のうち { $done } 手順は完了
resuming-run = 測定 { $run } を再開する: { $phases } フェーズは保存済み
resuming-run-one = 測定 { $run } を再開する: 1 フェーズは保存済み
restarting-file = テストファイルがなくなったため、測定 { $run } を最初からやり直す
restarting-zones = ゾーンの状態が開始時と変わったため、測定 { $run } を最初からやり直す
phase-not-stored = フェーズ「{ $phase }」を保存できない: { $why }
test-file-removed = 強制終了した測定が残したテストファイル { $file } を削除した
test-file-made = { $folder } に { $size } のテストファイルを作る。空きは { $free } 残る
waiting-for-drive = { $target } の応答待ち: I/O { $ios } 件が戻らず、{ $time } の間何も完了していない。もう一度 Ctrl-C を押すとプログラムを終了する。保存済みの分は残る
modelled-drive = { $drive } (モデル)、{ $state }
plan-ended-gone = plan-{ $plan } ({ $called }) は途中でドライブが見えなくなり終了した。再び見えるようになったら `drivelab resume plan-{ $plan }` で続きを行う。これは新しい計画である
plan-interrupted = plan-{ $plan } ({ $called }) は中断している。続きは `drivelab resume plan-{ $plan }` で行う。これは新しい計画である
plan-incomplete = plan-{ $plan } ({ $called }) には結果のない手順がある。`drivelab resume plan-{ $plan }` で再度実行する。これは新しい計画である
adopted = 引き継ぎ: マップは元の { $size } バイトを順に過不足なく覆い、{ $copy } はコピー済みの範囲に足りる
adopted-within-sectors = セクター ({ $sector } バイト) の途中で始まる領域が { $areas } 個ある。そのセクターは読み直す
adopted-compared = コピー済みの { $same } か所を照合し、元とコピーが一致した。読めなかったのは { $unread } か所
resuming-rescue = 再開する: { $size } バイトのうち { $done } バイトはコピー済み

# Where results are
stored-as = { $id } として保存した
report-at = レポート: { $path }
report-at-and-stored = レポート: { $path } ({ $id } として保存)
report-so-far = 終えた分のレポート: { $path }
report-elsewhere = { $path } は既にあるため、レポートは { $free } とする
pictures-in = 図 { $pictures } 枚を { $folder } に書き出した
left-out = 除外: { $why }
trace-at = トレース: { $path }

# Drives that are called otherwise than before
target-is-now = { $was } は今 { $now } である ({ $drive })
waiting-for-drive-one = { $target } の応答待ち: I/O 1 件が戻らず、{ $time } の間何も完了していない。もう一度 Ctrl-C を押すとプログラムを終了する。保存済みの分は残る
rescue-of = { $source } からの救出 (コピー元には書き込まない)
rescue-writes = 書き込み: { $destination } のバイト 0 から { $size }。残りは { $left }
rescue-map = マップ: { $path }
run-target-is-now = { $was } は今 { $now } である

# Why a figure has no number
why-samples = サンプル不足 ({ $samples } 件、必要数は { $needed } 件)
why-nothing-completed = 完了したアクセスがない
why-no-times-of-failures = 失敗した I/O の時間を保存しない版で記録された
why-not-half-back = 最長の休止後も半分まで戻らなかった
why-no-band = 1 領域あたり { $dwell } では短く、速度の幅を示せない。{ $slice } の { $times } 倍を超える時間が必要
why-two-ends = 両端のみを測定した。全域の平均には quick-scan、または全域の full-scan が必要である
why-steady-of-part = { $capacity } のうち { $used } で定常状態に達した。全域を使用するまで、ドライブ全体については判定しない (--set extent=whole)
why-not-steady = { $rounds } ラウンド後も定常状態に達しなかった
why-not-steady-written = { $rounds } ラウンド後、範囲を { $extents } 周書いても定常状態に達しなかった
why-few-rounds = { $rounds } ラウンドのうち、有効なものが { $window } に満たないか、アクセスが行われなかった
why-share-is-all = RAM ディスクの時間が全体を占める
why-no-slower-range = 小さい範囲の { $percent } % を下回る範囲はない
why-not-worn-out = { $passes } 周 ({ $written }) の書き込みでは寿命に達しなかった
why-no-write-taken = 書き込みが一度も受け付けられなかった
why-no-whole-pass = 最後まで終えた周がない
why-no-error-rate = ドライブが読み込みエラーを報告しない
why-no-fall = 速度が下がったまま戻らない箇所はない
why-not-in-time = 毎秒 { $reads } 回の読み込みでも期限に間に合わない
why-times-not-kept = トレースの時刻が守られなかった
why-part-not-measured = 一部が測定されなかった
why-not-writable = ターゲットへの書き込みが許可されていない
why-never-misaligned = ターゲットのブロックは { $block } であり、アクセスはブロック単位で行われるため、{ $offset } だけずらすことはできない
why-blocks = ターゲットのブロックは { $block } であり、{ $size } のアクセスはできない
why-part-in-use = 使用範囲は { $span } であり、{ $size } のアクセスはできない
why-part-too-small = 使用範囲がどのアクセスサイズよりも小さい
why-no-access-size = 最小から最大までの間に、使用範囲に収まるアクセスサイズがない
why-two-copies = ターゲットがファイル 2 つ分に満たない
why-no-data-kept = このターゲットは検証できるデータを保持しない
why-end-failed = 末尾の I/O が失敗したため、容量については何も言えない
why-one-file-system = ここにあるファイルシステムは { $system } のみである。別のファイルシステム上のディレクトリで実行して比較する
why-bare-drive = ターゲットは素のドライブである。ディレクトリか、ファイルシステムを持つホスト上のドライブモデルを指定する
why-other-file-systems = one={ $one }、other={ $other } に対し、ここにあるのは { $systems } である
why-no-saturated-rate = 最大速度の測定中に完了したアクセスがない
why-no-saturated-rates = 最大速度の測定中に完了したアクセスがない
why-no-zone-refused = { $zones } ゾーンまで拒否されなかった
why-no-append = ターゲットまたはそこまでの経路に追記コマンドがない。Linux のプログラムからは使えない
why-unlabelled = ラベルのあるセクターがない。verify (part=write) で書き込まれていないか、すべて失われており、比較するものがない

# Notes
note-of-part = { $part }: { $note }
note-best-of-each = 本家と同じく、MB/s、IOPS、応答時間それぞれについて集計対象の最良値を採る。中央値も併記する
note-best-as-crystaldiskmark = CrystalDiskMark と同じく、集計対象の最良値を採る
note-best-of-whole-passes = 本家と同じく、集計対象の最良値を採る。シーケンシャルはファイルを端まで繰り返し、データは 1 MiB ごとに同じである
note-response-chart-at-depth = 応答時間のグラフは { $test }、キュー深度 { $depth } の集計対象を示す
note-response-chart = 応答時間のグラフは { $test } の集計対象を示す
note-ram-disk = ファイルのうち RAM ディスク自体にかかる時間は書き込み { $writing }、読み込み { $reading }。ダーティメモリは { $memory }
note-written-over = この方法は自ら書き込んでいない領域を読み、未書き込みの領域はフラッシュを読まずに応答されるため、全域を順に書き込み済みのドライブ (state=full-in-order) として測定した。未書き込みのまま測定するには、ターゲットに state=fresh を指定する
note-host-work = 起動時間のうち { $time } は、ドライブによらないホスト側の処理である
note-own-traces = トレースは drivelab 独自のものであり、スコアは同じトレースのスコアとのみ比較できる
note-traces-writes-left-out = トレースの書き込みは省いた
note-specification-writes-left-out = アクセス仕様の書き込みは省いた
note-only-reads = ターゲットへの書き込みが許可されていないため、アクセスはすべて読み込みである
note-trace-writes-left-out = トレースの書き込み、TRIM、フラッシュは省いた
note-trace-drives = トレースには { $drives } 台のドライブがあり、アドレスを重ねて再生した
note-trace-completions = トレースに I/O の完了時刻がないため、送出の順序だけを守った
note-trace-rounded = 開始位置と終了位置を { $block } のブロック単位に広げた
note-no-drop = { $span } の範囲では速度が下がらない。尽きるキャッシュがなく、回復も測れない
note-one-refill = 使用範囲が 1 回分しかなく、毎回前の書き込みに上書きする。これによってもキャッシュは空く
note-pace-missed = { $phase }: { $every } 間隔の監視に応答が間に合わないことが多く、予定の { $due } 回に対し { $asked } 回のアクセスとなった
note-slower-watch = 4 KiB の{ $access }に { $took } かかるドライブのため、監視の間隔を { $wanted } から { $every } に延ばした。これより短いと監視自体が負荷になる
note-not-switched-off = 電源の切断と再投入は行われていない。実ドライブでは低温スキャンの前に毎回手で行う必要がある。低温と常温で差のないドライブでは違いは現れない
note-only-written = 書き込みのみ行った。ドライブの電源を切った後、同じ範囲に part=read を指定して確認する
note-power-not-cut = 電源は切断していない。実ドライブでは part=write と part=read の間に手で切断する
note-sectors-unseen = セクターの内容は確認しない。ここで書き込んでいないか、ターゲットがデータを保持しないためである
note-sectors-differ = { $phase }: バイト位置 { $byte }: { $difference }。読み込んだ { $sectors } セクターのうち { $differing } が異なる
note-shallow-target = ターゲットが同時に受け付けるアクセスは { $accesses } までのため、より深いキューは省いた
note-gaps-unread = ゾーンはアドレス { $addresses } のうち { $held } しか保持しないため、アドレス順には間の部分を読めない
note-gaps-unwritten = ゾーンはアドレス { $addresses } のうち { $held } しか保持しないため、アドレス順には間の部分に書けない
note-grown = ターゲットのブロックの大きさに合わせ、{ $small } のアクセスを { $block } とした
note-sizes-left-out = ターゲットのブロックは { $block }、使用範囲は { $span } のため、{ $sizes } のアクセスは省いた
note-repeated = { $times } 回繰り返した。数値は繰り返しの中央値、グラフは 1 回目のものである
note-cap = 上限 { $rule } で繰り返しを終えた。指定の確かさに達しない中央値: { $medians }。最も広い区間は { $figure } の、中央値の { $width } %
note-cap-wider = 上限 { $rule } で繰り返しを終えた。指定の確かさに達しない中央値: { $medians }。最も広い区間は { $figure } の、中央値の 1000 % 超

# Warnings
warning-not-purged = ターゲットが TRIM を受け付けなかった。消去せず、元の状態から始めた
warning-not-steady = { $of }: { $rounds } ラウンド後も定常状態に達しなかった。数値は最後のラウンドのものである
warning-not-steady-window = { $of }: { $rounds } ラウンド後も定常状態に達しなかった ({ $window })。数値は最後のラウンドのものである
warning-not-steady-written = { $of }: { $rounds } ラウンド後、範囲を { $extents } 周書いても定常状態に達しなかった。数値は最後のラウンドのものである
warning-not-steady-written-window = { $of }: { $rounds } ラウンド後、範囲を { $extents } 周書いても定常状態に達しなかった ({ $window })。数値は最後のラウンドのものである
warning-as-at-first = 最後の各ラウンドは互いに揃っているが、範囲を最初に書いたときと同じ速さである。まだガベージコレクションを必要としないドライブも同じに見えるため、範囲の 4 倍を書き終えるまで定常状態とみなさない
warning-fell-behind = { $rate }: ドライブが追いつかなかった (毎秒 { $asked } 回のうち { $done } 回)。応答時間は測定を続けるほど延びる
warning-corrupt-sectors = 壊れたセクターが { $sectors } 個あるが、容量の不足ではない。verify で確認する
warning-zones-fit-cache = 書き込みは合計 { $filled } で、ドライブのキャッシュに収まる可能性がある。コンデンサーを備えたドライブはフラッシュを即座に終えるため、速度はインターフェースのものかもしれない (`--set fill=1GiB`)
warning-store-on-drive = 結果データベースが測定対象のドライブ上にあり、測定中は毎秒 1 行が書き込まれる
warning-data-not-found = { $reads } 回の読み込みで期待したデータが得られなかった。アドレスは結果に記録されている
warning-buffered = バッファ付きのため、ページキャッシュが応答した分を含む。ドライブ本来の速度ではない
warning-busy-host = 測定前のホストに他の負荷があった ({ $what })。負荷がなければ、より良い値になる可能性がある
busy-load = ロードアベレージ { $load } (プロセッサ { $processors } 個)
busy-governor = CPU 周波数ガバナー「{ $governor }」
busy-others = デバイスに対する他の I/O が { $time } に { $ios } 件
warning-holes = { $file } は { $size } のうち { $stored } しか実体がなく、ホールの読み込みはドライブに届かない
warning-trace-left-out = { $left-out } 件の TRIM とフラッシュは { $file } に含まれない。この形式では記録できない
warning-trace-waits = トレースの書き出しを { $times } 回待った。より速いドライブに記録する
warning-failed = { $ios } 件の I/O が失敗した: { $first }
warning-failed-times = { $ios } 件の I/O が失敗した (半数は { $median } 以内、最長 { $longest }): { $first }
warning-more-addresses = { $failed }。他のアドレスは結果に記録されている
failed-io = { $length } の{ $operation }、バイト位置 { $byte }: { $how } ({ $time } 後)
failed-short = 転送は { $moved } のみ

# Zones
why-no-zones = 順に書き込む必要のあるゾーンがないか、上のレイヤーがゾーンを隠している
why-within-zone = ゾーンの途中から始まるが、ゾーンには先頭からしか書き込めない
why-across-zones = { $block } のアクセスがゾーンの境界をまたぐ
why-no-access-size-in-file = 最小から最大までの間に、ファイルに収まるアクセスサイズがない
note-drive-says = ドライブの申告: { $limits }。
steady-window = 変動 { $excursion } %、傾き { $slope } %
why-no-two-areas = { $capacity } では 2 つの領域が収まらない
why-trace-only-writes = トレースが書き込みだけからなり、ターゲットへの書き込みが許可されていない

# A drive's health: why it is not simply good
health-untold = ドライブ自身の判定が報告されない
health-own-failure = ドライブ自身の判定が異常である。データを退避する
health-own-warning = ドライブの警告: { $what }
health-spare-lacks = 予備ブロックの残りは { $left } %。下限は { $least } %
health-spare-few = 予備ブロックの残りは { $left } %
health-below-threshold = { $attribute } が故障予測のしきい値を下回っている
health-below-age = { $attribute } が経年のしきい値を下回っている
health-was-below = { $attribute } が過去にしきい値を下回った
health-pending-sectors = 代替処理待ちのセクター: { $count }
health-uncorrected = 訂正できなかったエラー: { $count }
health-media-trouble = メディアまたはデータ整合性のエラー: { $count }
health-replaced = 代替処理済みのセクターまたはブロック: { $count }
health-endurance = 定格寿命の { $used } % を消費した
health-last-test = 直近のセルフテスト ({ $kind }) は異常: { $status }
health-earlier-test = セルフテスト ({ $kind }) が異常で、その後に正常終了した同等以上のテストがない: { $status }
health-sign-below-threshold = 故障を予測する属性がしきい値以下である
health-sign-was-below = 過去に属性がしきい値以下になった
health-sign-self-tests = ドライブのセルフテストログに異常がある。拡張セルフテスト (smartctl -t long) が正常に終われば過去のものになる
health-sign-error-log = ドライブのエラーログに記録がある
health-sign-switched-off = SMART がドライブ側で無効になっている。`smartctl -s on` で有効にしてから再度取得する
health-sign-endurance = 消費寿命が 255 と報告された。254 % 超と未報告の区別がつかない
health-sign-incomplete = ドライブの応答の一部を読み取れない
health-sign-command-failed = ドライブへのコマンドが失敗したか、表のチェックサムが合わない
warning-drive-suspect = ドライブの状態: 要注意 ({ $reasons })
warning-drive-failing = ドライブの状態: 異常 ({ $reasons })
health-reasons = { $reasons }

# Why a drive's health could not be read, and what can be done
health-no-answer = smartctl の応答が空である
health-no-text = smartctl の応答に文字でないバイトが含まれる
health-no-document = smartctl の応答は JSON だが、ドライブの情報ではない
health-breaks-off = smartctl の応答が { $bytes } バイトで途切れている
health-no-json = smartctl の応答が JSON として読めない: { $why }
health-text-around = smartctl の応答の前後に余分な文字列がある
health-tells-nothing = デバイスは応答するが、健康状態を報告しない
health-tells-nothing-because = デバイスは応答するが、健康状態を報告しない: { $why }
health-not-understood = smartctl が呼び出し方またはデバイスの種類を認識できない
health-not-opened = デバイスを開けないか、識別情報を得られない
health-says-failing = ドライブが異常を報告している
health-self-test-log = ドライブのセルフテストログに異常がある
health-needs-rights = smartctl には管理者権限が必要である。sudo を付けて再度取得する
health-name-bridge = ブリッジの種類を --device-type で指定する: sat、sntjmicron、sntasmedia、sntrealtek (smartctl(8) のオプション -d)
health-no-drive-itself = ドライブではなく、ドライブの上に作られたものかもしれない。実体のドライブを指定する
health-device-path = { $device }: smartctl にはデバイスのパスを指定する
health-not-installed = 健康状態の取得に使う smartctl がインストールされていない
health-install = パッケージ smartmontools (7.0 以降) をインストールする
health-late = { $device }: smartctl が { $seconds } 秒以内に応答しない
health-may-hang = ドライブがハングしている可能性がある。カーネルのログ (dmesg) を確認する
health-cannot-be-run = smartctl を実行できない: { $why }
health-of-no-array = アレイやレイヤーのモデルに健康状態はない。中のドライブを指定する
health-of-no-drive = null ターゲットはドライブではない
health-nothing-beneath = 健康状態を取得できるドライブがない
health-made-by-software = { $device } はソフトウェアで作られている ({ $transport })。実体のドライブを指定する
health-unexpected = smartctl の応答の { $place } が想定外の形式である
health-asked-as-sat = smartctl が USB ブリッジを認識しないため、SAT として取得した
health-wear-direction = 属性 { $id } { $name } は摩耗を表すが、増減の向きが不明のため判定に使わない

# How a figure is made of its samples
made-mean = 平均
made-median = 中央値
made-min = 最小
made-max = 最大
made-count = 件数
made-sum = 合計
made-total = 合計
made-none = なし
made-best-of = { $n } 回中の最良
made-median-of = { $n } 回の中央値
made-mean-of = { $n } 回の平均
made-over-repeats = 繰り返しの中央値: { $statistic }
made-of-rounds = { $statistic } (ラウンド { $first } から { $last })
made-of-rounds-unsteady = { $statistic } (ラウンド { $first } から { $last }、定常状態に達せず)
made-of-all-rounds = { $statistic } (全ラウンド、定常状態に達せず)
made-last-rounds = 最後の { $n } ラウンドの平均
made-drop = 容量の 1/{ $part } かつ { $bins } 区間以上続く水準の間で、1/8 以上下がり、その後戻らない最初の段差
made-slow-responses = { $limit } 以上の応答
made-stalls = { $limit } 以上の停止
made-in-time = p99 応答が { $bound } 以内となる最大の読み込み頻度
made-ratio = { $other }÷{ $one }
made-misaligned = 不適合÷適合 (最良値)
made-refill-cut = 低下前後の速度の最小二乗による区切り
made-half-back = キャッシュの半分が戻った最初の休止
made-after-rests = 続く無休止書き込みの平均
made-bursts = この休止後のバーストの平均
made-bursts-of-steady = バーストの平均の定常状態比
made-one-copy = 1 回のコピー
made-copied-over-time = コピー量÷時間
made-steady-round = 最初の定常区間の最終ラウンド
made-steady-extents = 定常状態と判定した時点の書き込み量÷範囲
made-excursion = 最大と最小の差÷平均
made-slope = 近似直線の変化量÷平均
made-longest-stall = 最長の停止
made-load = 監視中のバックグラウンド負荷
made-step-over-time = その段階のランダム書き込みの転送量÷時間
made-bytes-over-busy-time = 転送量÷稼働時間
made-points = 帯域 (MB/s) と 1÷平均アクセス時間 (1/s) の幾何平均
made-bytes-over-time = 転送量÷時間
made-compression-gain = 完全に圧縮できるデータの速度÷圧縮できないデータの速度
made-to-desktop = デスクトップ表示まで
made-without-host = 起動時間－ホストの処理時間
made-asked-to-desktop = デスクトップ表示までの要求量
made-over-time-to-desktop = デスクトップ表示までの転送量÷時間
made-from-desktop = デスクトップ表示から最後の書き込みまで
made-asked-after-desktop = デスクトップ表示後の要求量
made-over-time-after-desktop = デスクトップ表示後の転送量÷時間
made-cold-over-warm = 平均速度、低温÷常温
made-intended = 予定した毎秒の送出数
made-least-point = 全点の最小
made-greatest-point = 全点の最大
made-mean-point = 全点の平均
made-first-point = 最初の点
made-last-point = 最後の点
made-ios-over-time = I/O 数÷時間
made-first-round = 初回の平均
made-last-of-first = 1 ラウンド目に対する終盤のラウンド
made-extents = 書き込み量÷範囲
made-least-depth = 最高 IOPS の 95 % に達する最小のキュー深度
made-queued-over-not = キューイング書き込み分の速度÷非キューイング書き込み分の速度
made-queued-over-sequential = キューイング書き込み分の速度÷シーケンシャル書き込み分の速度
made-knee = プラトーの 90 % を下回る最初の範囲
made-plateau = 低下前の範囲の中央値
made-largest-of-plateau = 最大の範囲のプラトー比
made-age-over-fresh = 最終経過日数での速度÷書き込み直後の速度
made-top = 幅の上端
made-bottom = 幅の下端
made-surface-share = 全域に占める割合
made-share = 割合
made-before-drop = 最初の安定水準から低下までの転送量÷時間
made-after-drop = 低下から終端までの転送量÷時間
made-until-refused = 書き込み拒否までの書き込み量
made-attribute-before = 書き込みが拒否された周の前のドライブ属性値
made-failed-last-pass = 最終周で失敗した書き込み
made-first-pass = 1 周目
made-last-pass = 最後まで終えた最終周
made-readable = エラーなしで読み込めた量

# Where a figure was measured, and with which data
span-from = { $start } から { $length }
span-whole = 全域
span-regions = { $n } 領域
span-regions-of = { $surface }の { $n } 領域
span-points = { $surface }の { $n } 点
span-ends = { $surface }を { $positions } 等分した先頭と末尾の各 { $n } 区間
span-zones = { $zones } ゾーンの各 { $size }
data-fresh = 乱数、圧縮可能率 { $percent } %
data-repeats = 1 MiB ごとに同じ乱数、圧縮可能率 { $percent } %
data-labelled = ラベル付きセクター
data-zeros = 全ビット 0
data-ones = 全ビット 1
data-pattern = { $length } バイトの { $bytes }

# What a drive warns of
health-warning-spare = 予備ブロックがしきい値を下回っている
health-warning-temperature = 温度が許容範囲を外れている
health-warning-reliability = メディアエラーまたは内部エラーにより信頼性が低下している
health-warning-read-only = メディアが読み込み専用になっている
health-warning-backup = 揮発性メモリーのバックアップが故障している
health-warning-memory-region = 永続メモリー領域が信頼できないか、読み込み専用になっている
health-warning-unnamed = critical warning の未定義ビット 0x{ $bits }
health-warning-worn-out = 寿命に達し、読み込み専用になった

# What a drive says of its zones
zones-host-aware = ホストアウェア
zones-host-managed = ホストマネージド
zones-of = { $length } のゾーン { $zones } 個
zones-open = 同時オープンは最大 { $most }
zones-active = 同時アクティブは最大 { $most }

# Why a run ended early
stopped-interrupted = 中断
stopped-gone = フェーズ「{ $phase }」の途中でドライブが消えた ({ $why })。そこまでの測定値は残っている
stopped-broken = フェーズ「{ $phase }」の途中でドライブへの経路が切れた ({ $why })。そこまでの測定値は残っている
stopped-unrunnable = フェーズ「{ $phase }」はここでは実行できない: { $why }
warning-progress-not-stored = { $path }: フェーズの途中経過を保存できなかった: { $why }。この状態で強制終了されると、そのフェーズは最初からやり直しになる

# Results of other tools
note-imported = { $tool } ({ $version }) のファイル { $file } から取り込んだ。drivelab による測定ではない
note-import-not-stated = ファイルに記載のない項目: { $what }
note-import-best-of-each = { $tool } は集計対象の最良の速度と最良の応答時間を別々に選ぶため、両者が同じ回のものとは限らない
note-import-kdiskmark-mb = KDiskMark の MB は、見出しの表記にかかわらず 1,024,000 バイトである。ここでは 10^6 バイトの MB に換算した
note-import-mib-as-mb = { $tool } は 2^20 バイトを MB と表記する。ここでは 10^6 バイトの MB に換算した
note-import-mb-unknown = { $tool } は 1 MB が何バイトかを示さない。速度は元の値のままとし、ほかの結果とは比較しない
note-import-fio-2 = fio 2 の時間はマイクロ秒、量は KiB であり、換算した
note-import-fio-bins = 応答時間の分布は { $job } のビンから作成した。各 I/O はビンの値として数える
note-import-log-unit = fio のログには、帯域幅、IOPS、応答時間のどれかが記されていない。値は元のまま、単位なしで示す
note-import-log-averaged = 各行は区間の平均であり、最も長い単独の応答時間はファイルに含まれない
note-import-mib-checked = { $tool } は 1 MB が何バイトかを示さない。IOPS とバイト数から 2^20 バイトと判定した
note-import-all-rows = 数値は全マネージャー合計の行のものである
note-import-drive-days = 1 行が 1 台の 1 日分にあたる。件数のみを示し、率は求めない
note-import-copied = マップはどこをコピーできたかを示すもので、速度は示さない
import-version = バージョン { $version }
import-version-not-stated = バージョンの記載なし
import-not-stated = 記載なし
import-what-state = ドライブの状態
import-what-fill = ドライブの使用率
import-what-data = 書き込んだデータ
import-what-host = コンピューター
import-what-drive = ドライブの型番
import-what-span = ドライブ上の位置
import-what-link = 接続方式
import-what-file-system = ファイルシステム
import-what-temperature = 温度
import-what-date = 日時
import-what-zone = 日時のタイムゾーン
import-what-runs = 測定回数
import-what-distribution = 応答時間の分布
import-what-settings = テストの設定
made-by-tool = { $tool } の算出方法による
made-by-tool-of-runs = { $n } 回の測定から { $tool } の算出方法による
why-import-zero = ファイルの値が 0 である。テストが失敗したか省略された
why-import-negative = ファイルの値が { $value } である。測定されていない

# Marks in charts
mark-worst = { $op } { $size }、位置 { $at }: { $took }、同時に読み込み { $reads }・書き込み { $writes }
mark-level = { $curve }: { $before } から { $after } { $unit } に変化
mark-steady = ラウンド { $first } から { $last } で定常
mark-desktop = デスクトップ表示 ({ $time } 後)

# States of drives and the scale of a run
state-of = { $states }
state-since = { $state } ({ $runs } の後を引き継ぎ)
state-unknown = 不明
state-none = なし
state-fresh = 新品
state-full-in-order = 全域を順に書き込み済み
state-in-order = 先頭 { $percent } % を順に書き込み済み
state-steady-random = ランダム書き込み後の定常状態
state-steady-random-part = 先頭 { $percent } % がランダム書き込み後の定常状態
state-trimmed = TRIM 済み
state-idle = 休止 { $time }
state-age = 放置 { $time }
state-on = 電源投入から { $time }
state-just-on = 電源投入直後
state-wear = 消耗 { $percent } %
state-temperature = 温度 { $celsius } °C
time-days = { $n } 日
time-hours = { $n } 時間
time-minutes = { $n } 分
time-seconds = { $n } 秒
time-milliseconds = { $n } ミリ秒
time-microseconds = { $n } マイクロ秒
time-nanoseconds = { $n } ナノ秒
scale-of = { $parts }
scale-quick = 簡易
scale-default = 標準
scale-full = フル
tail-measured = 実測値
tail-modelled = モデル値

# How I/Os reach a drive
path-host = ホストモデル { $host }
path-raid0 = ホストモデル { $host }、RAID 0 (ストライプ { $unit })
path-file = { $path }、{ $system } 上のテストファイル (クラスター { $cluster })
path-cached = { $path }、ライトバックキャッシュ { $memory }
path-contents = { $path }、データ内容を保持
path-contents-some = { $path }、データ内容を一部を除いて保持
path-delayed = { $path }、遅延を追加 (読み込み { $read }、書き込み { $write })
path-null = 仮想時間、ホストなし

# What a drive tells of its health
health-of = { $value } ({ $counter })
health-test = { $kind }: { $status }
health-test-at = { $kind }: { $status }、{ $hours } 時間目
health-error-rate = { $rate } (新品: 100)
health-used-of-model = モデルに定めたフラッシュ寿命に対する消去回数
count-of-model = モデル作成時からの累計
count-host-bytes = ホストの書き込みバイト数、モデル作成時からの累計
count-pages = 書き込みページ数 (パディングと移動を含む)、モデル作成時からの累計
count-units = { $counter }、512,000 バイト単位で { $units }
count-attribute = 属性 { $id } { $name }、生の値 { $raw }
count-attribute-no-unit = 属性 { $id } { $name }、生の値 { $raw }、単位不明
count-attribute-unlisted = 属性 { $id } { $name }、生の値 { $raw }、単位不明 (smartctl のデータベースにないドライブ)
count-sectors-written = Device Statistics ログ、書き込み { $sectors } 論理セクター
count-sectors-read = Device Statistics ログ、読み込み { $sectors } 論理セクター
count-gigabytes = { $kind }エラーカウンター、処理量 { $gigabytes } GB
