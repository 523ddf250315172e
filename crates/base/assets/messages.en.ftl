# Sentences that methods, the lab, plans and the command line say, in English, by key (base::message). Each is one line; what
# stands in a place has the name of the place.

# Before a run: what it takes and what it writes
forecast-step = { $method } on { $target }: { $takes }, { $writes }
forecast-step-assuming = { $step }, assuming { $rate } MB/s
forecast-about = about { $time }
forecast-simulated = { $takes } of virtual time, simulated in about { $time }
forecast-writes-nothing = writes nothing
forecast-writes = writes { $written }
forecast-target-about = on { $target } about { $written } is written
forecast-target-most = on { $target } at most { $written } is written
forecast-share = { $line }, { $percent } % of its rated endurance of { $rated }
forecast-share-unknown = { $line }; the rated endurance is unknown (set rated_endurance in the plan)
forecast-share-simulated = { $line }, in simulation only
forecast-real-about = real drives: about { $time }
forecast-real-most = real drives: at most { $time }
forecast-models = modelled drives: simulated in about { $time }; nothing is written to this machine's drives for them
forecast-in-test-file = { $target }: writes about { $written } and reads about { $read } in about { $time }, in test files of at most { $file }, which are removed
forecast-only-read = { $target }: writes nothing, reads about { $read } in about { $time }
forecast-read-and-written = { $target }: writes about { $written } and reads about { $read } in about { $time }
forecast-class = { $method } on { $drives } more modelled drives of the class: about { $seconds } s of processor time
dry-run-of = { $method } on { $target }
dry-run-test-file = in a new test file of { $file }, which is written before it is read, and removed
dry-run-more = ... and { $ranges } more such ranges
dry-run-range = writes bytes { $start } to { $end } ({ $length })
dry-run-overwritten = { $bytes } bytes are overwritten ({ $size }), some more than once
dry-run-may-be-overwritten = { $bytes } bytes may be overwritten ({ $size }), some more than once
dry-run-lost = would be lost: { $what }
dry-run-repeated = all of this up to { $times } times (--repeat { $rule })
dry-run-takes = takes at most { $time }
dry-run-takes-about = takes about { $time }, assuming { $rate } MB/s

# Before a drive is written: what is on it, and the question
lost-on = on { $target }: { $what }
lost-all = Everything on { $target } will be lost. To continue, type { $token }:
delete-these = Delete { $what }? (yes or no)

# While a plan or a run goes on
progress-left = { $time } left
progress-in-all = { $time } in total
progress-building = building { $target }
progress-run = { $method } on { $target }
progress-step = { $number } of { $steps }: { $method } on { $target }
progress-step-without = { $number } of { $steps }: { $method } on { $target }: { $why }
step-without-result = step { $number }, { $method } on { $target }: { $state }: { $why }
resuming-plan = resuming plan { $plan }: { $done } of { $steps } steps done
resuming-run = resuming run { $run }: { $phases } phases are already stored
resuming-run-one = resuming run { $run }: 1 phase is already stored
restarting-file = run { $run } restarts: its test file no longer exists
restarting-zones = run { $run } restarts: its zones have changed since it began
phase-not-stored = phase '{ $phase }' not stored: { $why }
test-file-removed = removed { $file }, a test file left by a killed run
test-file-made = test file of { $size } in { $folder }; { $free } remains free
waiting-for-drive = waiting for { $target }: { $ios } I/Os are outstanding, and nothing has completed for { $time }; press Ctrl-C again to end the program and keep what was stored
modelled-drive = { $drive }, modelled, { $state }
plan-ended-gone = plan-{ $plan } ({ $called }) ended because its drive disappeared: `drivelab resume plan-{ $plan }` continues it once the drive is back; this is a new one
plan-interrupted = plan-{ $plan } ({ $called }) was interrupted: `drivelab resume plan-{ $plan }` continues it; this is a new one
plan-incomplete = plan-{ $plan } ({ $called }) has steps without a result: `drivelab resume plan-{ $plan }` retries them; this is a new one
adopted = adopted: its areas cover all { $size } bytes of the source in order, and { $copy } is as long as what was copied
adopted-within-sectors = { $areas } areas begin inside a sector of { $sector } bytes: these sectors are read again
adopted-compared = compared { $same } samples of what was copied: identical in source and copy; { $unread } could not be read
resuming-rescue = resuming: { $done } of { $size } bytes were already copied

# Where results are
stored-as = stored as { $id }
report-at = report: { $path }
report-at-and-stored = report: { $path }; stored as { $id }
report-so-far = report of what was done: { $path }
report-elsewhere = { $path } already exists: writing the report to { $free }
pictures-in = { $pictures } pictures in { $folder }
left-out = skipped: { $why }
trace-at = trace: { $path }

# Twins
twin-trying = kind { $kind }
twin-fitted = off on what it was fitted to: rates { $rates }, medians { $medians }, p99 { $tails } (medians over the figures)
twin-held-back = off on what was held back: rates { $rates }, medians { $medians }, p99 { $tails } (medians over the figures)
twin-at = written: { $path }; `model:{ $path }` is a target

# Drives that are called otherwise than before
target-is-now = { $was } is now { $now } ({ $drive })
waiting-for-drive-one = waiting for { $target }: 1 I/O is outstanding, and nothing has completed for { $time }; press Ctrl-C again to end the program and keep what was stored
rescue-of = rescue of { $source }, which is never written
rescue-writes = writes bytes 0 to { $size } of { $destination }; { $left } remaining
rescue-map = map: { $path }
run-target-is-now = { $was } is now { $now }

# Why a figure has no number
why-samples = needs { $needed } samples, has { $samples }
why-nothing-completed = nothing was completed
why-no-flash-counter = the drive does not report both host writes and flash writes
why-host-counter-differs = the drive counted { $counted } MB of host writes where { $written } MB were sent: its counter is too coarse, something else writes, or the run was resumed
why-no-times-of-failures = stored by a version that did not record times of failed I/Os
why-not-half-back = less than half of it recovered, even after the longest idle time
why-no-band = { $dwell } per region is too short for a band: it needs more than { $times } times { $slice }
why-two-ends = only the two ends were scanned: for a mean over the full LBA range use quick-scan, or full-scan over all of it
why-steady-of-part = steady over { $used } of { $capacity }: this says nothing about the drive until all of it is used (--set extent=whole)
why-not-steady = not steady after { $rounds } rounds
why-not-steady-written = not steady after { $rounds } rounds and { $extents } times the extent written
why-few-rounds = fewer than { $window } of { $rounds } rounds count, or none did any work
why-share-is-all = the RAM disk's share is the entire time
why-no-slower-range = no range is slower than { $percent } % of the smaller ones
why-not-worn-out = { $passes } passes ({ $written }) did not wear it out
why-no-write-taken = no write was accepted
why-no-whole-pass = no pass was completed
why-no-error-rate = the drive does not report read errors
why-no-fall = no lasting drop in speed
why-not-in-time = even { $reads } reads per second miss the latency bound
why-times-not-kept = the trace's timing was not kept
why-part-not-measured = part of it was not measured
why-not-writable = the target is read-only
why-too-small-to-ask = the part that is asked about is too small
why-no-step = no step of { $us } µs or more over { $gib } GiB
why-no-rotation = no rotation visible: the host or a cache is in the way, or nothing turns
why-one-track = no second track was met
why-few-seeks = too few reads came from the medium
why-no-seek-curve = reads do not take longer the further the arm goes: there are several arms, or a cache or a layer is in the way
why-no-write-cache = a write takes as long as it takes to the medium
why-no-cache-limit = no limit was reached, or none that stands out
why-no-surfaces = rates of neighbouring places do not differ by more than chance
why-not-the-medium = a stream is far slower than what passes under the head: it is not read ahead, or the link is the limit
why-not-kept = not even a block that was just read is found in a cache
why-all-kept = even { $n } are found again
why-kept-at-random = no limit stands out: what is found again does not depend on the number alone
why-no-trim = the target takes no TRIM
why-wake-open = some reads after a rest take longer, others do not
why-no-wake = no read after a rest takes longer than others scatter
why-no-width = more than one number of pages side by side would explain the times
why-covers-less = reads become slower with the range from the start: the map in memory covers less than { $gib } GiB, or something else is in the way
why-writes-regular = each write takes about as long: in place without a write cache, or one behind another in a media cache
why-die-or-channel = every { $pages } pages of 16 KiB, reads wait for each other, but so briefly that they may share a channel and not a die
why-no-stripe = no fixed stripe stands out
why-no-fall-within = the write rate does not fall by a quarter for good within { $gb } GB
why-rate-rises = the write rate rises again later: the drive was part full, or busy with itself
why-not-emptied = TRIM does not empty the target, so a fall of the write rate may come from collection
why-falls-late = the write rate falls after more than a one-bit cache can hold: the drive is full by then
why-nothing-back = rests of up to { $seconds } s give back less than { $gb } GB
why-rest-open = what rests give back does not grow evenly with them, or all of it is back at once
why-taken-as-it-comes = the write rate does not fall for good within { $mib } MiB
why-uneven = the write rate never settles
why-not-a-buffer = a burst after a longer rest is taken for longer: something other than a buffer
why-never-misaligned = the target's block size is { $block }, and every I/O is a multiple of it: it cannot be misaligned by { $offset }
why-blocks = the target's block size is { $block }: I/Os of { $size } are not possible
why-part-in-use = the area in use is { $span }: I/Os of { $size } do not fit
why-part-too-small = the area in use is smaller than any I/O
why-no-access-size = no I/O size between the first and the last fits the extent
why-two-copies = the target is too small for two copies of a file
why-no-data-kept = this target stores no data that could be checked
why-end-failed = I/Os at the end failed: the capacity cannot be determined
why-one-file-system = only one file system is available, { $system }: run it in a directory on another one, and compare
why-bare-drive = the target is a bare drive; use a directory, or a modelled drive on a host with file systems
why-other-file-systems = one={ $one } and other={ $other }: available are { $systems }
why-no-saturated-rate = no I/O completed during the saturated-rate measurement
why-no-saturated-rates = no I/O completed during a saturated-rate measurement
why-no-zone-refused = no open was refused up to { $zones } zones
why-no-append = the target or its path does not support append; Linux does not offer it to programs
why-unlabelled = no sector has a label: this was not written by verify (part=write), or all of it is lost; there is nothing to compare with

# Notes
note-of-part = { $part }: { $note }
note-best-of-each = as in the original: best of the counted runs, with MB/s, IOPS and latency chosen separately; medians are reported as well
note-best-as-crystaldiskmark = as in the original: the best of the counted runs, as CrystalDiskMark does
note-best-of-whole-passes = as in the original: the best of the counted runs; a sequential run consists of whole passes over the file; data repeats every MiB
note-response-chart-at-depth = the response-time chart shows the counted runs of { $test } at queue depth { $depth }
note-response-chart = the response-time chart shows the counted runs of { $test }
note-ram-disk = the RAM disk's own share of the file: { $writing } writing, { $reading } reading; { $memory } of dirty memory
note-written-over = the drive was preconditioned with sequential writes (state=full-in-order), since this method reads blocks that it has not written, and reads of unwritten blocks do not reach the flash; state=fresh in the target's name measures those
note-host-work = the host's own work is { $time } of the boot, whatever the drive
note-own-traces = the traces are drivelab's own: scores are comparable only with scores of the same traces
note-traces-writes-left-out = the traces' writes were skipped
note-specification-writes-left-out = the specification's writes were skipped
note-only-reads = reads only: the target is read-only
note-trace-writes-left-out = writes, trims and flushes of the trace were skipped
note-trace-drives = the trace contains { $drives } drives: their addresses were superimposed
note-trace-completions = the trace has no completion times: only the submission order was kept
note-trace-whole-seconds = the trace's times are whole seconds: all I/Os of a second are due at once, and their response times include that queue
note-trace-rounded = offsets and ends were rounded outwards to blocks of { $block }
note-no-drop = the speed does not drop within { $span }: no cache was exhausted, so there is no recovery to measure
note-one-refill = the extent holds only one refill: each overwrites the last, which also empties the cache
note-pace-missed = { $phase }: the drive often took longer than the interval of { $every }, so only { $asked } of { $due } I/Os were sent
note-slower-watch = a { $access } of 4 KiB takes the drive { $took }, so that the watch asks every { $every } and not every { $wanted }: more would be a load
note-not-switched-off = the drive was not power-cycled: a real drive must be, by hand, before each cold scan; a drive that performs the same cold and warm has nothing to show
note-only-written = written only: cut the drive's power, then check with part=read and the same extent
note-power-not-cut = the power was not cut: for a real drive do it by hand, between part=write and part=read
note-sectors-unseen = sectors are not checked: nothing was written here, or this target stores no data
note-sectors-differ = { $phase }: at byte { $byte }: { $difference }, { $differing } of { $sectors } sectors of the read differ
note-shallow-target = the target accepts { $accesses } outstanding I/Os: deeper queues were skipped
note-queue-drains = { $accesses }: from a queue depth of { $depth } on, the I/Os in flight take longer to end than a depth is run for: the rates are those of a cache that fills and a queue that drains, so give more time (time=2s)
note-gaps-unread = zones hold { $held } of their { $addresses }: in address order, the gaps cannot be read
note-gaps-unwritten = zones hold { $held } of their { $addresses }: in address order, the gaps cannot be written
note-grown = I/Os of { $small } became I/Os of { $block }, the target's block size
note-sizes-left-out = I/Os of { $sizes } were skipped: the target's block size is { $block }, and { $span } of it is used
note-repeated = repeated { $times } times: figures are medians over the repeats, charts are from the first
note-cap = the limit of { $rule } ended the repeats: medians less certain than requested: { $medians }; the widest interval is that of { $figure }, { $width } % of its median
note-cap-wider = the limit of { $rule } ended the repeats: medians less certain than requested: { $medians }; the widest interval is that of { $figure }, more than 1000 % of its median

# Warnings
warning-not-purged = the target refused the trim: it was not purged and began in its previous state
warning-not-steady = { $of }: not steady after { $rounds } rounds; its figures are those of the last rounds
warning-not-steady-window = { $of }: not steady after { $rounds } rounds ({ $window }); its figures are those of the last rounds
warning-not-steady-written = { $of }: not steady after { $rounds } rounds, { $extents } times the extent written; its figures are those of the last rounds
warning-not-steady-written-window = { $of }: not steady after { $rounds } rounds, { $extents } times the extent written ({ $window }); its figures are those of the last rounds
warning-as-at-first = its last rounds are as flat and as fast as those while the extent was first written: a drive that does not collect garbage yet looks the same, so this counts as steady only after four times the extent was written
warning-fell-behind = { $rate }: the drive fell behind ({ $done } of { $asked } I/Os per second); response times grow with the length of the test
warning-corrupt-sectors = { $sectors } sectors are corrupt, which is not missing capacity: run verify
warning-zones-fit-cache = fill: the total of { $filled } may fit the drive's cache, and a drive with capacitors completes a flush at once: the rate may be that of its interface (`--set fill=1GiB`)
warning-store-on-drive = the result store is on the drive under test: a row per second is written during the run
warning-data-not-found = { $reads } reads did not return the expected data; their addresses are in the result
warning-part-beyond = the part that may be written lies beyond the end of the target, or holds no whole MiB of it: no question that writes was asked
warning-not-settled = { $phase }: after { $rested } of rest the slowest tenth of reads still takes { $times } times as long as before anything was written: the drive is still at work, and the answers that follow may be of that
warning-buffered = buffered: the page cache serves what it can, so this is not the drive's own speed
warning-busy-host = the host was busy before the run: { $what }; figures on an idle host may be better
busy-load = load average { $load } on { $processors } processors
busy-governor = CPU frequency governor '{ $governor }'
busy-others = { $ios } I/Os of other programs on the device in { $time }
warning-holes = { $file } has { $stored } of its { $size } allocated: reads of the holes never reach the drive
warning-trace-left-out = { $left-out } trims and flushes are not in { $file }: its format does not support them
warning-trace-waits = the run waited { $times } times for its trace to be written: record to a faster drive
warning-failed = { $ios } I/Os failed: { $first }
warning-failed-times = { $ios } I/Os failed (half of them within { $median }, the longest took { $longest }): { $first }
warning-more-addresses = { $failed }; more addresses are in the result
failed-io = { $operation } of { $length } at byte { $byte }: { $how }, after { $time }
failed-short = only { $moved } moved

# Zones
why-no-zones = the target has no sequential-write-required zones, or a layer above hides them
why-within-zone = it begins inside a zone, which can only be written from its start
why-across-zones = I/Os of { $block } would cross zone boundaries
why-no-access-size-in-file = no I/O size between the first and the last fits the extent
note-drive-says = Reported by the drive: { $limits }.
steady-window = excursion { $excursion } %, slope { $slope } %
why-no-two-areas = { $capacity } is too small for two areas
why-trace-only-writes = the trace only writes, and the target is read-only

# A drive's health: why it is not simply good
health-untold = the drive does not report whether it passes its self-assessment
health-own-failure = the drive fails its self-assessment: save your data
health-own-warning = the drive warns: { $what }
health-spare-lacks = { $left } % of the spare blocks are left, the threshold is { $least } %
health-spare-few = { $left } % of the spare blocks are left
health-below-threshold = { $attribute } is below its failure threshold
health-below-age = { $attribute } is below its old-age threshold
health-was-below = { $attribute } was below its threshold in the past
health-pending-sectors = { $count } sectors are pending (unreadable until rewritten or reallocated)
health-uncorrected = { $count } uncorrectable errors
health-media-trouble = { $count } media or data-integrity errors
health-replaced = { $count } sectors or blocks were reallocated
health-endurance = { $used } % of the rated endurance is used
health-last-test = the last self-test ({ $kind }) failed: { $status }
health-earlier-test = a self-test ({ $kind }) failed, and no later one supersedes it: { $status }
health-sign-below-threshold = attributes that predict failure are at or below their thresholds
health-sign-was-below = attributes were at or below their thresholds in the past
health-sign-self-tests = the self-test log has failures: a passed extended test (smartctl -t long) would supersede them
health-sign-error-log = the error log has entries
health-sign-switched-off = SMART is disabled on the drive: enable it with `smartctl -s on`, then try again
health-sign-endurance = the used endurance is reported as 255, which means more than 254 % or nothing at all
health-sign-incomplete = the drive's answer could not be read completely
health-sign-command-failed = a command to the drive failed, or a table had a wrong checksum
warning-drive-suspect = the drive is suspect: { $reasons }
warning-drive-failing = the drive is failing: { $reasons }
health-reasons = { $reasons }

# Why a drive's health could not be read, and what can be done
health-no-answer = smartctl answered nothing
health-no-text = smartctl's output contains bytes that are not text
health-no-document = smartctl's output is JSON, but does not describe a drive
health-breaks-off = smartctl's output is truncated after { $bytes } bytes
health-no-json = smartctl's output is not JSON: { $why }
health-text-around = smartctl's output has other text before or after the JSON
health-tells-nothing = the device responds, but reports nothing about its health
health-tells-nothing-because = the device responds, but reports nothing about its health: { $why }
health-not-understood = smartctl did not accept its arguments or the device type
health-not-opened = the device could not be opened or did not identify itself
health-says-failing = the drive reports that it is failing
health-self-test-log = the self-test log has failures
health-needs-rights = smartctl needs root: try again with sudo
health-name-bridge = name the bridge's type with --device-type: sat, sntjmicron, sntasmedia, sntrealtek (smartctl(8), option -d)
health-no-drive-itself = it may not be a drive but something built on drives: query those below it
health-device-path = { $device }: smartctl needs the path of a device
health-not-installed = smartctl, which reads a drive's health, is not installed
health-install = install the package smartmontools (7.0 or later)
health-late = { $device }: smartctl did not answer within { $seconds } s
health-may-hang = the drive may hang: check the kernel log (dmesg)
health-cannot-be-run = smartctl cannot be run: { $why }
health-of-no-array = a modelled array or layer has no health: query its drives
health-of-no-drive = the null target is not a drive
health-nothing-beneath = there is no drive below it to query
health-made-by-software = { $device } is a software device ({ $transport }): query the drives below it
health-unexpected = unexpected value in smartctl's output: { $place }
health-asked-as-sat = smartctl does not know the USB bridge: queried through it as SAT
health-wear-direction = attribute { $id } { $name } indicates wear, but its direction is unknown: it is not judged

# How a figure is made of its samples
made-amplification = flash bytes over host bytes, second half
made-estimate = estimate
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
made-half-back = first idle time after which half of the cache has recovered
made-after-rests = mean of the following writes without idle time
made-bursts = mean of the bursts after the idle time
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
made-asked-to-desktop = requested up to the desktop
made-over-time-to-desktop = bytes over time to the desktop
made-from-desktop = from the desktop to the last write
made-asked-after-desktop = requested after the desktop
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
made-queued-over-not = rate of queued writes over that of unqueued ones
made-queued-over-sequential = rate of queued writes over that of sequential ones
made-knee = first range below 90 % of the plateau
made-plateau = median of the ranges before the knee
made-largest-of-plateau = largest range relative to the plateau
made-age-over-fresh = rate at the last age over that of fresh data
made-top = top of the band
made-bottom = bottom of the band
made-surface-share = share of the LBA range
made-share = share
made-before-drop = bytes over time from the first steady level to the drop
made-after-drop = bytes over time from the drop to the end
made-last-level = bytes over time of the last level
made-next-level = bytes over time of the level that follows the drop
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
health-warning-spare = spare blocks below the threshold
health-warning-temperature = temperature outside its limits
health-warning-reliability = reliability degraded by media errors or an internal error
health-warning-read-only = media is read-only
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
stopped-broken = the path to the drive failed during phase '{ $phase }' ({ $why }); what was measured until then is kept
stopped-unrunnable = phase '{ $phase }' cannot run here: { $why }
warning-progress-not-stored = { $path }: what a phase had measured so far could not be stored: { $why }; a run that is killed then begins that phase again

# Results of other tools
note-imported = read from { $file }, a file of { $tool } ({ $version }); drivelab did not measure this
note-import-not-stated = the file does not state: { $what }
note-import-best-of-each = { $tool } takes the best rate and the best latency of the counted runs separately: they need not come from the same run
note-import-kdiskmark-mb = an MB of KDiskMark is 1,024,000 bytes, whatever its heading says: the rates here are converted to MB of 10^6 bytes
note-import-mib-as-mb = { $tool } writes MB for 2^20 bytes: the rates here are converted to MB of 10^6 bytes
note-import-mib-named-mb = { $tool } writes MB for 2^20 bytes: the rates here are in MiB/s
note-import-misaligned = { $tool } reports the partition as misaligned: offset { $offset }
note-import-mb-unknown = { $tool } does not say how many bytes its MB has: the rates are left as they are, and are not compared
note-import-fio-2 = fio 2 reports times in microseconds and sizes in KiB: they are converted
note-import-fio-bins = the response histogram is built from the bins of { $job }: each I/O counts at its bin's value
note-import-log-unit = a log of fio does not say whether it holds bandwidth, IOPS or latency: the values are left as they are, without a unit
note-import-log-averaged = each line is a mean over an interval: the longest single response is not in the file
note-import-mib-checked = { $tool } does not say how many bytes its MB has: by its IOPS and bytes it is 2^20
note-import-all-rows = the figures are those of the rows for all managers together
note-import-drive-days = each line is one drive on one day: counts only, no failure rate is derived
note-import-copied = the map says what was copied, not how fast
import-version = version { $version }
import-version-not-stated = version not stated
import-not-stated = not stated
import-what-state = the state of the drive
import-what-fill = the fill level of the drive
import-what-data = the data pattern written
import-what-host = the host
import-what-drive = the drive model
import-what-span = the LBA range
import-what-link = the link
import-what-file-system = the file system
import-what-temperature = the temperature
import-what-date = the date
import-what-zone = the time zone of the date
import-what-runs = the number of runs
import-what-distribution = the distribution of responses
import-what-settings = the settings of the test
made-by-tool = as { $tool } computes it
made-by-tool-of-runs = as { $tool } computes it from { $n } runs
why-import-zero = the file has 0: the test failed or was skipped
why-import-negative = the file has { $value }: it was not measured

# Marks in charts
mark-worst = { $op } of { $size } at { $at }: { $took }, beside { $reads } reads and { $writes } writes
mark-level = { $curve }: level from { $before } to { $after } { $unit }
mark-steady = steady over rounds { $first } to { $last }
mark-desktop = the desktop, after { $time }

# States of drives and the scale of a run, as they are typed
state-of = { $states }
state-since = { $state }, carried over after { $runs }
state-unknown = unknown
state-none = none
state-fresh = fresh
state-full-in-order = full-in-order
state-in-order = { $percent }%-in-order
state-steady-random = steady-random
state-steady-random-part = steady-random:{ $percent }%
state-trimmed = trimmed
state-idle = idle={ $time }
state-age = age={ $time }
state-on = power-on={ $time }
state-just-on = power-on=0s
state-wear = wear={ $percent }%
state-temperature = temperature={ $celsius }C
time-days = { $n }d
time-hours = { $n }h
time-minutes = { $n }min
time-seconds = { $n }s
time-milliseconds = { $n }ms
time-microseconds = { $n }us
time-nanoseconds = { $n }ns
scale-of = { $parts }
scale-quick = quick
scale-default = default
scale-full = full
tail-measured = measured
tail-modelled = modelled

# How I/Os reach a drive
path-host = modelled host { $host }
path-raid0 = modelled host { $host }, RAID 0 with stripes of { $unit }
path-file = { $path }, test file on { $system } in clusters of { $cluster }
path-cached = { $path }, write-back cache of { $memory }
path-contents = { $path }, contents kept
path-contents-some = { $path }, contents kept, not all of them
path-delayed = { $path }, reads { $read } and writes { $write } later
path-null = virtual time, no host
title-cached = { $drive } with { $memory } of host cache
title-null = null target, { $service } an I/O
title-on-file-system = { $drive } ({ $kind })
title-raid0 = RAID 0 of { $drives }
title-without-model = { $transport } drive { $drive } { $capacity }

# What a drive tells of its health
health-of = { $value } ({ $counter })
health-test = { $kind }: { $status }
health-test-at = { $kind }: { $status }, at { $hours } h
health-error-rate = { $rate } (new: 100)
health-used-of-model = erases of the life that its file gives its flash
count-of-model = counted by the model since it was made
count-host-bytes = bytes of the host's writes, counted by the model since it was made
count-pages = pages programmed, with padding and moves, counted by the model since it was made
count-units = { $counter }, { $units } units of 512,000 bytes
count-media-units = OCP log page C0h, { $bytes } bytes of physical media written
count-attribute = attribute { $id } { $name }, raw { $raw }
count-attribute-no-unit = attribute { $id } { $name }, raw { $raw }, unit unknown
count-attribute-unlisted = attribute { $id } { $name }, raw { $raw }, unit unknown: the drive is not in smartctl's database
count-sectors-written = device statistics, { $sectors } logical sectors written
count-sectors-read = device statistics, { $sectors } logical sectors read
count-gigabytes = { $kind } error counters, { $gigabytes } GB processed

# Names of phases: the vocabulary that base::phase_name reads. Results hold these names: they are never reworded
phase-name-run = run { $n }
phase-name-run-discarded = run { $n } (discarded)
phase-name-ramp = ramp
phase-name-warm-up = warm-up
phase-name-round = round { $n }
phase-name-burst = burst { $n }
phase-name-region = region { $n }
phase-name-point = point { $n }
phase-name-point-seek = point { $n } seek
phase-name-first-part = the first part
phase-name-last-part = the last part
phase-name-other-part = the rest
phase-name-in-order = in order
phase-name-in-reverse = in reverse
phase-name-at-random = at random
phase-name-access-time = access time
phase-name-saturated = saturated
phase-name-reads = reads
phase-name-writes = writes
phase-name-reads-over = reads over { $n } { $word }
phase-name-reads-alone = reads alone
phase-name-reads-beside = reads beside { $name }
phase-name-beside = beside { $name }
phase-name-beside-load = beside a load
phase-name-load = load
phase-name-pace = pace
phase-name-pace-of = pace of { $name }
phase-name-watch = watch { $name }
phase-name-restore-image = restore the image
phase-name-make-file = make the file
phase-name-fill-test-file = fill the test file
phase-name-make-folder = make the { $word } folder
phase-name-copy-folder = copy the { $word } folder
phase-name-iso = iso
phase-name-program = program
phase-name-precondition = precondition
phase-name-purge = purge
phase-name-refill = refill
phase-name-use-up-to = use up to { $n } %
phase-name-write-pass = write pass { $n }
phase-name-read-everything = read everything
phase-name-look = look { $n }
phase-name-look-end = look at the end
phase-name-read-back = read back { $name }
phase-name-overwrite = overwrite
phase-name-overwrite-before-cut = overwrite before a power cut
phase-name-overwrite-unflushed = overwrite without a flush
phase-name-read-overwritten = read overwritten
phase-name-read-after-cut = read after a power cut
phase-name-read-unflushed = read what was not flushed
phase-name-read-after-days = read after { $n } days
phase-name-lies = lies until { $n } days old
phase-name-days = { $n } days
phase-name-rest = rest
phase-name-rest-number = rest { $n }
phase-name-rest-of = rest of { $n } s
phase-name-rest-of-time = rest rest-{ $n }
phase-name-rest-after = rest after { $name }
phase-name-rest-before = rest before
phase-name-rest-before-name = rest before { $name }
phase-name-after-rest = after rest-{ $n }
phase-name-after-seconds = after { $n } s
phase-name-pause = pause { $n }
phase-name-flush-after = flush after { $name }
phase-name-fill-zone = fill zone { $n }
phase-name-fill-to-read = fill to read
phase-name-settle = settle before { $name }
phase-name-touch = touch before { $name }
phase-name-write-zones = write in { $n } zones
phase-name-append = append at depth { $n }
phase-name-reset = reset
phase-name-reset-zones = reset zones
phase-name-reset-before = reset before
phase-name-reset-behind = reset behind
phase-name-reset-after = reset after { $name }
phase-name-finish = finish
phase-name-open = open
phase-name-close = close
phase-name-reset-filled = reset filled
phase-name-reset-empty = reset empty
phase-name-reset-touched = reset touched
phase-name-reset-finished = reset finished
phase-name-reset-written = reset written
phase-name-reset-read = reset read
phase-name-finish-touched = finish touched
phase-name-random = random
phase-name-warm = warm
phase-name-replay = replay
phase-name-load-number = load { $n }
phase-name-rest-after-start = rest after start { $n }
phase-name-jpeg = jpeg-{ $n }
phase-name-video = video-{ $n }
phase-name-at-share = at-{ $n }
phase-name-stated = stated
phase-name-settled = settled { $n }
phase-name-settling = settling { $n }
phase-name-reads-settled = reads of a settled drive
phase-name-streams = streams { $n }
phase-name-further-on = { $n } KiB further on
phase-name-writes-of = writes of { $n } KiB
phase-name-flush-before = flush before { $name }
phase-name-in-order-part = writes in order part { $n }
phase-name-writes-after = writes after { $n } s part { $word }
