# Sentences that methods, the lab, plans and the command line say, in English, by key (base::message). Each is one line; what
# stands in a place has the name of the place.

# Before a run: what it takes and what it writes
forecast-step = { $method } on { $target }: { $takes }, { $writes }
forecast-step-assuming = { $step }, assuming { $rate } MB/s
forecast-about = about { $time }
forecast-simulated = { $takes } of its own time, simulated in about { $time }
forecast-writes-nothing = writes nothing
forecast-writes = writes { $written }
forecast-target-about = on { $target } about { $written } are written
forecast-target-most = on { $target } { $written } are written at most
forecast-share = { $line }, { $percent } % of the { $rated } that it is rated for
forecast-share-unknown = { $line }, of a rated endurance that is not known (rated_endurance in a plan's file)
forecast-share-simulated = { $line }, in its simulation alone
forecast-real-about = real drives: about { $time }
forecast-real-most = real drives: at most { $time }
forecast-models = modelled drives: simulated in about { $time }, and nothing is written to this machine's drives for them
forecast-in-test-file = { $target }: about { $written } are written and { $read } are read in about { $time }, in test files of at most { $file }, which are removed
forecast-only-read = { $target }: nothing is written, and about { $read } are read in about { $time }
forecast-read-and-written = { $target }: about { $written } are written and { $read } are read in about { $time }
forecast-class = { $method } on { $drives } more modelled drives of the class: about { $seconds } s of a processor
dry-run-of = { $method } on { $target }
dry-run-test-file = in a new test file of { $file }, which is written before it is read, and removed
dry-run-more = ... and { $ranges } ranges more like it
dry-run-range = writes bytes { $start } to { $end } ({ $length })
dry-run-overwritten = { $bytes } bytes are overwritten ({ $size }), some more than once
dry-run-may-be-overwritten = { $bytes } bytes may be overwritten ({ $size }), some more than once
dry-run-lost = would be lost: { $what }
dry-run-repeated = all of it up to { $times } times over (--repeat { $rule })
dry-run-takes = takes { $time } at most
dry-run-takes-about = takes about { $time }, assuming { $rate } MB/s

# Before a drive is written: what is on it, and the question
lost-on = on { $target }: { $what }
lost-all = Everything on { $target } will be lost. To continue, type { $token }:
delete-these = Delete { $what }? (yes or no)

# While a plan or a run goes on
progress-left = { $time } left
progress-in-all = { $time } in all
progress-building = building { $target }
progress-run = { $method } on { $target }
progress-step = { $number } of { $steps }: { $method } on { $target }
progress-step-without = { $number } of { $steps }: { $method } on { $target }: { $why }
step-without-result = step { $number }, { $method } on { $target }: { $state }: { $why }
resuming-plan = resuming plan { $plan }: { $done } of { $steps } steps are done
resuming-run = resuming run { $run }: { $phases } phases are already stored
resuming-run-one = resuming run { $run }: 1 phase is already stored
restarting-file = run { $run } restarts: its test file no longer exists
restarting-zones = run { $run } restarts: its zones are no longer as they were when it began
phase-not-stored = the phase '{ $phase }' is not stored: { $why }
test-file-removed = removed { $file }, a test file that a killed run had left
test-file-made = test file of { $size } in { $folder }; { $free } stay free
waiting-for-drive = waiting for { $target }: { $ios } I/Os have not come back, and nothing else has for { $time }; Ctrl-C once more ends the program, and what was stored is kept
modelled-drive = { $drive }, modelled, { $state }
plan-ended-gone = plan-{ $plan } ({ $called }) ended when its drive was gone: `drivelab resume plan-{ $plan }` goes on once it is back; this is a new one
plan-interrupted = plan-{ $plan } ({ $called }) was interrupted: `drivelab resume plan-{ $plan }` continues it; this is a new one
plan-incomplete = plan-{ $plan } ({ $called }) has steps without a result: `drivelab resume plan-{ $plan }` tries them again; this is a new one
adopted = adopted: its areas cover all { $size } bytes of the source in order, and { $copy } reaches as far as what has arrived
adopted-within-sectors = { $areas } areas begin within a sector of { $sector } bytes: these sectors are read again
adopted-compared = compared { $same } pieces of what has arrived, which are the same in source and copy; { $unread } could not be read
resuming-rescue = resuming: { $done } of { $size } bytes were already copied

# Where results are
stored-as = stored as { $id }
report-at = report: { $path }
report-at-and-stored = report: { $path }; stored as { $id }
report-so-far = report of what was done: { $path }
report-elsewhere = { $path } is there already: the report will be { $free }
pictures-in = { $pictures } pictures in { $folder }
left-out = left out: { $why }
trace-at = trace: { $path }

# Drives that are called otherwise than before
target-is-now = { $was } is { $now } now ({ $drive })
waiting-for-drive-one = waiting for { $target }: 1 I/O has not come back, and nothing else has for { $time }; Ctrl-C once more ends the program, and what was stored is kept
rescue-of = rescue of { $source }, which is never written
rescue-writes = writes bytes 0 to { $size } of { $destination }, of which { $left } are left
rescue-map = keeps its map in { $path }
run-target-is-now = { $was } is { $now } now
