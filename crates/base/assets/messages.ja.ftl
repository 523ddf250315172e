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
