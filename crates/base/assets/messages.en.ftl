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

# Why a figure has no number
why-samples = needs { $needed } samples, there are { $samples }
why-nothing-completed = nothing was completed
why-no-times-of-failures = stored by a version that kept no times of failed I/Os
why-not-half-back = not half of it came back, even after the longest rest
why-no-band = { $dwell } at a region are too short for a band: it takes more than { $times } times { $slice }
why-two-ends = two ends are scanned: a mean over the surface takes quick-scan, or full-scan over all of it
why-steady-of-part = steady over { $used } of { $capacity }: nothing is said of the drive before all of it is used (--set extent=whole)
why-not-steady = not steady after { $rounds } rounds
why-not-steady-written = not steady after { $rounds } rounds, { $extents } times the extent written
why-few-rounds = of { $rounds } rounds fewer than { $window } count, or none did any work
why-share-is-all = the RAM disk's share is all of the time
why-no-slower-range = no range is slower than { $percent } % of the smaller ones
why-not-worn-out = { $passes } passes ({ $written }) did not wear it out
why-no-write-taken = not one write was taken
why-no-whole-pass = no pass was taken whole
why-no-error-rate = the drive says nothing of its read errors
why-no-fall = the speed does not fall for good
why-not-in-time = not even { $reads } reads per second are in time
why-times-not-kept = the trace's times were not kept
why-part-not-measured = a part of it was not measured
why-not-writable = the target may not be written
why-never-misaligned = the target's blocks are of { $block }, and every I/O is made of whole ones: it cannot be misaligned by { $offset }
why-blocks = the target's blocks are of { $block }: it has no I/Os of { $size }
why-part-in-use = the part in use is of { $span }: it has no I/Os of { $size }
why-part-too-small = the part in use is smaller than any I/O
why-no-access-size = no I/O size is between the first and the last, or fits into the extent
why-two-copies = the target is too small for two copies of a file
why-no-data-kept = this target keeps no data that could be checked
why-end-failed = I/Os at the end failed: of the capacity nothing is said
why-one-file-system = there is one file system here, { $system }: run it in a directory on another one, and compare
why-bare-drive = the target is a bare drive: a directory, or a modelled drive on a host with file systems, has them
why-other-file-systems = one={ $one } and other={ $other }: here are { $systems }
why-no-saturated-rate = no I/O was completed while the saturated rate was measured
why-no-saturated-rates = no I/O was completed while a saturated rate was measured
why-no-zone-refused = none was refused up to { $zones } zones
why-no-append = the target, or the way to it, has no append: on Linux programs have none
why-unlabelled = not one sector carries a label: this was not written by verify (part=write), or all of it is gone; there is nothing to compare with

# Notes
note-of-part = { $part }: { $note }
note-best-of-each = dialect: best of the counted runs, with MB/s, IOPS and latency chosen separately; medians are given, too
note-best-as-crystaldiskmark = dialect: the best of the counted runs, as CrystalDiskMark counts
note-best-of-whole-passes = dialect: the best of the counted runs; a sequential run lasts whole passes over the file; data repeat each MiB
note-response-chart-at-depth = the response-time chart shows the counted runs of { $test } at queue depth { $depth }
note-response-chart = the response-time chart shows the counted runs of { $test }
note-ram-disk = the RAM disk's own share of the file: { $writing } writing, { $reading } reading; { $memory } of dirty memory
note-written-over = the drive was taken as written over in order (state=full-in-order), since this method reads what it has not written, and what was never written is answered without the flash; state=fresh in the target's name measures that
note-host-work = the host's own work is { $time } of the boot, whatever the drive
note-own-traces = the traces are drivelab's own: scores compare only with scores of the same traces
note-traces-writes-left-out = the traces' writes were left out
note-specification-writes-left-out = the writes of the specification were left out
note-only-reads = all I/Os are reads: the target may not be written
note-trace-writes-left-out = writes, trims and flushes of the trace were left out
note-trace-drives = the trace names { $drives } drives: their addresses were laid over one another
note-trace-completions = the trace does not tell when I/Os were complete: the order of the sends alone was kept
note-trace-rounded = offsets and ends were rounded outwards to blocks of { $block }
note-no-drop = the speed does not drop within { $span }: no cache that ends there, so no recovery to measure
note-one-refill = the extent holds only one refill: each overwrites the last, which also empties the cache
note-pace-missed = { $phase }: the drive often took longer than the pace of { $every }, and was asked { $asked } times and not { $due }
note-slower-watch = a { $access } of 4 KiB takes the drive { $took }, so that the watch asks every { $every } and not every { $wanted }: more would be a load
note-not-switched-off = the drive was not switched off and on: one that is real must be, by hand, before each cold scan; and one that is the same cold and warm has nothing to show
note-only-written = only written: cut the power of the drive, and look for it with part=read and the same extent
note-power-not-cut = the power was not cut: that of a real drive is cut by hand, between part=write and part=read
note-sectors-unseen = sectors are not looked at: nothing was written here, or this target keeps no data
note-sectors-differ = { $phase }: at byte { $byte }: { $difference }, { $differing } of { $sectors } sectors of the read differ
note-shallow-target = the target takes { $accesses } I/Os at once: deeper queues were left out
note-gaps-unread = zones hold { $held } of their { $addresses }: in order of address, what lies between cannot be read
note-gaps-unwritten = zones hold { $held } of their { $addresses }: in order of address, what lies between cannot be written
note-grown = I/Os of { $small } became I/Os of { $block }: the target's blocks are that large
note-sizes-left-out = I/Os of { $sizes } were left out: the target's blocks are of { $block }, and { $span } of it are used
note-repeated = repeated { $times } times: figures are medians over the repeats, charts are the first one's
note-cap = the cap of { $rule } ended the repeats: medians that are less sure than asked: { $medians }; the widest interval is that of { $figure }, { $width } % of its median
note-cap-wider = the cap of { $rule } ended the repeats: medians that are less sure than asked: { $medians }; the widest interval is that of { $figure }, more than 1000 % of its median

# Warnings
warning-not-purged = the target refused to be trimmed: it was not purged, and began as it was
warning-not-steady = { $of }: not steady after { $rounds } rounds; its figures are those of the last rounds
warning-not-steady-window = { $of }: not steady after { $rounds } rounds ({ $window }); its figures are those of the last rounds
warning-not-steady-written = { $of }: not steady after { $rounds } rounds, { $extents } times the extent written; its figures are those of the last rounds
warning-not-steady-written-window = { $of }: not steady after { $rounds } rounds, { $extents } times the extent written ({ $window }); its figures are those of the last rounds
warning-as-at-first = its last rounds are alike, and as fast as while the extent was written for the first time: a drive that does not have to collect yet looks the same, so this counts as steady only when four times the extent was written
warning-fell-behind = { $rate }: the drive fell behind ({ $done } of { $asked } I/Os per second); response times grow with the length of the test
warning-corrupt-sectors = { $sectors } sectors are corrupt, which is no missing capacity: run verify
warning-zones-fit-cache = fill: { $filled } in all may fit the drive's cache, and a drive with capacitors ends a flush at once: the rate may be that of its interface (`--set fill=1GiB`)
warning-store-on-drive = the result store is on the drive under test: a row per second is written during the run
warning-data-not-found = { $reads } reads did not find the data that they looked for; their addresses are in the result
warning-buffered = buffered: the page cache answers what it can, so this is not the drive's own speed
warning-busy-host = the host was not quiet before the run: { $what }; figures on a quiet host may be better
busy-load = load average { $load } on { $processors } processors
busy-governor = CPU frequency governor '{ $governor }'
busy-others = { $ios } I/Os of others on the device in { $time }
warning-holes = { $file } stores { $stored } of its { $size }: reads of the holes never reach the drive
warning-trace-left-out = { $left-out } trims and flushes are not in { $file }: its format has no place for them
warning-trace-waits = the run waited { $times } times until its trace was written: record to a faster drive
warning-failed = { $ios } I/Os failed: { $first }
warning-failed-times = { $ios } I/Os failed (half of them within { $median }, the longest took { $longest }): { $first }
warning-more-addresses = { $failed }; more addresses are in the result
failed-io = { $operation } of { $length } at byte { $byte }: { $how }, after { $time }
failed-short = only { $moved } moved

# Zones
why-no-zones = the target has no zones that must be written sequentially, or what stands over them hides them
why-within-zone = it begins inside a zone, which can only be written from its start
why-across-zones = I/Os of { $block } would go across the ends of zones
why-no-access-size-in-file = no I/O size is between the first and the last, or fits into the file
note-drive-says = The drive says: { $limits }.
steady-window = excursion { $excursion } %, slope { $slope } %
why-no-two-areas = { $capacity } leave no room for two areas
why-trace-only-writes = the trace only writes, and the target may not be written

# A drive's health: why it is not simply good
health-untold = the drive does not say whether it passes its own assessment
health-own-failure = the drive fails its own assessment: save what is on it
health-own-warning = the drive warns: { $what }
health-spare-lacks = { $left } % of the spare blocks are left, { $least } % the least
health-spare-few = { $left } % of the spare blocks are left
health-below-threshold = { $attribute } is below its failure threshold
health-below-age = { $attribute } is below its threshold of age
health-was-below = { $attribute } was below its threshold once
health-pending-sectors = { $count } sectors wait to be rewritten or replaced
health-uncorrected = { $count } errors could not be corrected
health-media-trouble = { $count } media or data-integrity errors
health-replaced = { $count } sectors or blocks were replaced
health-endurance = { $used } % of the rated endurance is used
health-last-test = the last self-test ({ $kind }) failed: { $status }
health-earlier-test = a self-test ({ $kind }) failed, and no later one outdates it: { $status }
health-sign-below-threshold = attributes that predict failure are at or below their thresholds
health-sign-was-below = attributes were at or below their thresholds in the past
health-sign-self-tests = the drive's log of self-tests has failures: a passed extended test (smartctl -t long) would outdate them
health-sign-error-log = the drive's log of errors has entries
health-sign-switched-off = SMART is switched off in the drive: `smartctl -s on` enables it, then ask again
health-sign-endurance = the used endurance is told as 255, which stands for more than 254 % and for nothing
health-sign-incomplete = what the drive answered could not be read whole
health-sign-command-failed = a command to the drive failed, or a table came with a wrong checksum
warning-drive-suspect = the drive is suspect: { $reasons }
warning-drive-failing = the drive is failing: { $reasons }
health-reasons = { $reasons }

# Why a drive's health could not be read, and what can be done
health-no-answer = smartctl answered nothing
health-no-text = smartctl's answer has bytes in it that are no text
health-no-document = smartctl's answer is JSON, but no document of a drive
health-breaks-off = smartctl's answer breaks off after { $bytes } bytes
health-no-json = smartctl's answer is not JSON: { $why }
health-text-around = smartctl's answer has other text before or behind it
health-tells-nothing = the device answers, but tells nothing of its health
health-tells-nothing-because = the device answers, but tells nothing of its health: { $why }
health-not-understood = smartctl did not understand how it was called, or what kind of device this is
health-not-opened = the device could not be opened or did not identify itself
health-says-failing = the drive says that it is failing
health-self-test-log = the drive's log of self-tests has failures
health-needs-rights = smartctl needs the administrator's rights: ask again with sudo
health-name-bridge = name the bridge's type with --device-type: sat, sntjmicron, sntasmedia, sntrealtek (smartctl(8), option -d)
health-no-drive-itself = it may be no drive but something built on drives: ask those beneath
health-device-path = { $device }: smartctl takes the path of a device
health-not-installed = smartctl is not installed: it reads a drive's health
health-install = install the package smartmontools (7.0 or later)
health-late = { $device }: smartctl had no answer within { $seconds } s
health-may-hang = the drive may hang: look into the kernel's log (dmesg)
health-cannot-be-run = smartctl cannot be run: { $why }
health-of-no-array = a modelled array or layer has no health: ask its drives
health-of-no-drive = the null target is not a drive
health-nothing-beneath = there is no drive beneath it that could be asked
health-made-by-software = { $device } is made by software ({ $transport }): ask the drives beneath it
health-unexpected = smartctl's answer has something unexpected in { $place }
health-asked-as-sat = smartctl does not know the USB bridge: asked through it as SAT
health-wear-direction = attribute { $id } { $name } tells of wear, but not in a known direction: it is not judged

# How a figure is made of its samples
made-mean = mean
made-median = median
made-min = min
made-max = max
made-count = count
made-sum = sum
made-total = total
made-none = none
made-best-of = best of { $n }
made-median-of = median of { $n }
made-mean-of = mean of { $n }
made-over-repeats = median of repeats of: { $statistic }
made-of-rounds = { $statistic } of rounds { $first } to { $last }
made-of-rounds-unsteady = { $statistic } of rounds { $first } to { $last }, not steady
made-of-all-rounds = { $statistic } of all rounds, not steady
made-last-rounds = mean of the last { $n } rounds
made-drop = first step down, by an eighth or more and for good, between levels that last for a { $part }th of the capacity and { $bins } bins
made-slow-responses = responses of { $limit } or more
made-stalls = standstills of { $limit } or more
made-in-time = highest read rate with a p99 response within { $bound }
made-ratio = { $other } over { $one }
made-misaligned = misaligned over aligned, best runs
made-refill-cut = least-squares split between the rates before and after the drop
made-half-back = first rest after which half of the cache is back
made-after-rests = mean of the following writes without a rest
made-bursts = mean of the bursts after the rest
made-bursts-of-steady = mean of the bursts relative to the steady level
made-one-copy = one copy
made-copied-over-time = bytes copied over time
made-steady-round = last round of the first steady window
made-steady-extents = bytes written over the extent when it was found steady
made-excursion = max minus min relative to the mean
made-slope = rise of the fitted line relative to the mean
made-longest-stall = longest standstill
made-load = background load
made-step-over-time = bytes over time of the step's random writes
made-bytes-over-busy-time = bytes over busy time
made-points = geometric mean of bandwidth in MB/s and 1 / mean access time in 1/s
made-bytes-over-time = bytes over time
made-compression-gain = rate of fully compressible data over that of incompressible data
made-to-desktop = to the desktop
made-without-host = boot time without the host's own work
made-asked-to-desktop = asked for up to the desktop
made-over-time-to-desktop = bytes over time to the desktop
made-from-desktop = from the desktop to the last write
made-asked-after-desktop = asked for after the desktop
made-over-time-after-desktop = bytes over time after the desktop
made-cold-over-warm = mean rate, cold over warm
made-intended = intended sends per second
made-least-point = least of the points
made-greatest-point = greatest of the points
made-mean-point = mean of the points
made-first-point = first point
made-last-point = last point
made-ios-over-time = I/Os over time
made-first-round = mean of the first round
made-last-of-first = last rounds relative to the first one
made-extents = bytes written over the extent
made-least-depth = least depth with 95 % of the highest IOPS
made-queued-over-not = rate of what was queued over that of what was not
made-queued-over-sequential = rate of what was queued over that of what was written sequentially
made-knee = first range below 90 % of the plateau
made-plateau = median of the ranges before the knee
made-largest-of-plateau = largest range relative to the plateau
made-age-over-fresh = rate at the last age over that of fresh data
made-top = top of the band
made-bottom = bottom of the band
made-surface-share = share of the surface
made-share = share
made-before-drop = bytes over time from the first steady level to the drop
made-after-drop = bytes over time from the drop to the end
made-until-refused = bytes taken until writes were refused
made-attribute-before = the drive's attribute before the pass that was refused
made-failed-last-pass = writes that failed in the last pass
made-first-pass = first pass
made-last-pass = last whole pass
made-readable = bytes read without an error

# Where a figure was measured, and with which data
span-from = { $length } from { $start }
span-whole = whole surface
span-regions = { $n } regions
span-regions-of = { $n } regions of { $surface }
span-points = { $n } points of { $surface }
span-ends = the first and the last { $n } of { $positions } positions of { $surface }
span-zones = { $size } of each of { $zones } zones
data-fresh = fresh, { $percent } % compressible
data-repeats = repeats each MiB, { $percent } % compressible
data-labelled = labelled sectors
data-zeros = zeros
data-ones = ones
data-pattern = { $bytes } in { $length } bytes

# What a drive warns of
health-warning-spare = the spare blocks are fewer than the threshold
health-warning-temperature = the temperature is outside its limits
health-warning-reliability = its reliability is degraded by media errors or an internal error
health-warning-read-only = the media are read-only
health-warning-backup = the backup of its volatile memory has failed
health-warning-memory-region = its persistent memory region is unreliable or read-only
health-warning-unnamed = bits 0x{ $bits } of its critical warning, which have no name yet
health-warning-worn-out = worn out: the drive is read-only

# What a drive says of its zones
zones-host-aware = host-aware
zones-host-managed = host-managed
zones-of = { $zones } zones of { $length }
zones-open = { $most } open at most
zones-active = { $most } active at most

# Why a run ended early
stopped-interrupted = interrupted
stopped-gone = the drive went away during phase '{ $phase }' ({ $why }); what was measured until then is kept
stopped-broken = the way to the drive broke during phase '{ $phase }' ({ $why }); what was measured until then is kept
stopped-unrunnable = phase '{ $phase }' cannot run here: { $why }
warning-progress-not-stored = { $path }: what a phase had measured so far could not be stored: { $why }; a run that is killed then begins that phase again
