# Texts of a report, English. One line a message; the same keys as in ja.ftl.

## Above the tables
shortened-all = Scale { $scale }, shortened or changed: not comparable with published figures.
shortened-some = Shortened or changed, not comparable with published figures: { $drives }.
original = Original counts and times.
imported = { $drive }: imported from { $tool }; drivelab did not measure this
ended-early = { $drive }: ended early ({ $why }); results up to then are shown.
state-reserve = { $drives }: state before the test unknown; compare with caution.

## Cells
no-value = n/a
no-value-why = no value: { $why }
no-value-unsaid = no value; the method gives no reason
not-comparable = not comparable, not ranked: { $what }
differs = { $what } { $here }, elsewhere { $there }
not-stated = (not stated)
condition-span = span
condition-data = data
condition-alignment = alignment
condition-state = state before
condition-scale = scale
condition-unit = unit
condition-statistic = statistic
condition-method-version = method version
effect-line = { $figure }, { $drive }: { $said }
effect-said = { $verdict } ({ $by } { $unit }, { $percent } % interval { $low } to { $high } { $unit })
held-by-host = host-limited: within 5 % of the I/Os that the modelled host can submit with this many threads; any faster drive shows the same
held-by-link = link-limited: within 5 % of what the link carries
effect-cannot-tell = { $count } facts rest on one run of a real drive, and its next run may differ by more than they do: no verdict. Measure both with --repeat auto.
effect-too-few = { $count } facts have too few runs or values for a verdict at 95 %. Use --repeat auto or a longer --scale.
effect-facts = { $count } of { $all } facts differ. A fact is one test's result for reads or for writes, whatever its unit; the chance that any of these differs by accident is 5 %.
effect-no-difference = no difference shown
effect-models = All of these are models: with the same seed they give the same values again. They do not show how real drives vary from run to run.
effect-faster = faster
effect-slower = slower
effect-better = better
effect-worse = worse
effect-higher = higher
effect-lower = lower
effect-none = No difference is shown in any of { $all } facts. A fact is one test's result for reads or for writes, whatever its unit.
effect-unknown = Significance cannot be tested with one value per drive: measure with --repeat auto.
condition-tail = tail
tail-not-compared = modelled, not compared with any real drive
tail-off-percent = modelled; compared with a real drive, off by { $percent } %
tail-off-factor = modelled; compared with a real drive, off by a factor of { $factor }
tail-published = (published { $value })
tail-misses-published = modelled, and known to be wrong: the published value of this drive is { $value }, a factor of { $factor } away
tail-missed = (known to be off x{ $factor })
tail-misses = modelled, and known to be wrong: a value published of this drive, from more data, is a factor of { $factor } away
tails-of-models = High percentiles, longest responses and standstills of modelled drives: { $said }.
tails-not-compared = { $drives } not compared with any real drive
tails-tuned = { $drive } compared with the real drive that it was tuned to, off by { $ops }
tails-predicted = { $drive } compared with a real drive, off by { $ops }
tails-off = { $p99 } % at p99, { $p99-9 } % at p99.9 and a factor of { $longest } at the longest ({ $op })
terminal-tails = ~ modelled, not compared with any real drive; ~13% or ~x1.5 compared, and off by that much
terminal-misses = (published …), (known to be off x…): a published value of this drive that its model misses; not ranked
terminal-marks = + best, - worst of the row
best = best
worst = worst
better-higher = higher is better
better-lower = lower is better
better-none = neither is better
warnings = Warnings
notes = Notes

## Drives
print-folds = Charts and details of a section are printed if it is open on the page.
bars-across = Main figures as bars across the drives
kind-real = real
kind-imported = imported
kind-imported-long = Imported
kind-model = modelled
kind-real-long = Real drive
kind-model-long = Modelled drive
known-by-sheet = little more than its data sheet is known: values not rated there are taken from drives of its kind
known-by-sheet-short = data sheet only
known-by-sheet-long = known by its data sheet only

## Names of figures' parts
part-read = read
part-write = write
part-median = median
part-mean = mean
part-worst = worst
part-min = min
part-max = max
part-iops = IOPS
part-latency = latency
part-response = response
part-elsewhere = random writes
part-unit = mapping unit
part-beside = reads beside
part-writes = writes
part-stripe = stripe
part-pages = pages
part-side-by-side = side by side
part-zeros = zeros
part-faster = faster
part-again = again
part-longest-rest = longest rest
part-rest = shortest rest
part-wake = waking up
part-longer = longer
part-lone = lone
part-ahead = reads ahead
part-in-reverse = in reverse
part-depth = queue
part-ceiling = most
part-gain = gain
part-enough = depth that is enough
part-map = address map
part-coverage = in memory
part-miss = miss
part-hit = hit
part-rotation = rotation
part-speed = speed
part-track = track
part-skew = skew
part-seek = seek
part-shortest = shortest
part-third = a third of the way
part-full = full stroke
part-outer = outside
part-inner = inside
part-surface-fast = densest surface
part-surface-slow = sparsest surface
part-segments = read cache
part-streams = streams
part-write-cache = write cache
part-entries = writes taken
part-bytes = bytes taken
part-slc = SLC cache
part-onset = comes back after
part-gives-back = comes back
part-buffer = write buffer
part-at-least = at least
part-at-most = at most
part-outermost = outermost
part-innermost = innermost
part-outermost-trackless = start
part-innermost-trackless = end
part-top = top
part-bottom = bottom
part-errors = errors
part-covered = share scanned
part-failed = failed I/Os:
part-ios = number
part-longest = longest
part-alone = alone
part-writing = small writes
part-loaded = under load
part-load = background rate
part-stutters = stutters
part-stalls = stalls
part-longest-stall = longest stall
part-transfer = transfer
part-rate = rate
part-watch = watch

## The page
title = Storage drives compared
title-of-method = { $method }: { $drives } drives compared
review-of = Review of { $drive }
kicker = drivelab report
made = Measured { $when } · drivelab { $version }
made-imported = Imported; date in the file: { $when } · drivelab { $version }
made-models = Modelled drives only: no date · drivelab { $version }
drives-in-states = { $drives } in { $states } states
lede = Drives: { $drives }; methods: { $methods }. Every figure has its unit and test conditions; 1 MB/s is 10⁶ bytes per second.
skip = Skip to the content
contents = Contents
drives = Drives tested
show-drives = Show drives
verdict = All figures side by side
verdict-alone = Figures
verdict-explained-alone = The main figures; ↑ higher is better, ↓ lower is better.
verdict-explained = The best value of a row is blue, the worst orange, and each is labelled. Only values measured under the same conditions are ranked.
figure = Figure
unit = Unit
host = Host
state-before = State before
issued = I/O path
capacity = Size under test
named = Named as
scale = Scale
scale-shortened = shortened
scale-original = original
bars-logarithmic = logarithmic
grid-explained = Bars are logarithmic: a quarter of the width is a factor of ten.
grid = CrystalDiskMark view
test = Test
all-figures = All figures, with how each was measured
statistic = Statistic
samples = n
interval = Interval
interval-text = { $low } to { $high } ({ $percent } %)
phases = Phases
phases-many = { $first } … { $last } ({ $count })
conditions = Conditions
value = Value
drive = Drive
how = How it was measured
command = Command line
settings = Settings
given = set by the user
environment = Environment
workloads = Workloads
workload-phases = { $count } × { $name }
reviewed = the drive under review
standing = Among all modelled drives of its class
standing-explained = Every modelled drive of the reviewed drive's class, run with the same method and settings: one bar each, the best first. The reviewed drive is framed; its neighbours on this page have their colours.
standing-line = { $figure }: { $place } of { $of }, { $value } (best { $best }, { $name }; last { $worst })
standing-by-sheet = * known by its data sheet only
standing-apart = ; { $count } more measured otherwise
raw = Raw data
raw-explained = All data shown here are in this file as JSON (figures, charts, settings, environment, workloads). Histograms of single phases are summarised by count, mean and percentiles; the stored result has them in full.
raw-download = Download the data (JSON)
raw-noscript = Scripts are off: the data are in this file's source, in the element with the id "drivelab-data".
about = Made by drivelab { $version }. Charts drawn with uPlot { $uplot } (MIT licence, in this file's source).
chart-table = Data table
chart-hint = Drag to zoom, double-click to reset.
zoom-in = Zoom in
zoom-out = Zoom out
zoom-reset = Reset zoom
curves = Curves
band = min to max
marked-points = Marked points
bands-left-out = One line for each drive: its mean at each position or time. With more than two drives the bands from the slowest to the fastest are omitted, since they would cover one another.
log-scale = { $quantity } (log)
log-scale-of = { $quantity } ({ $unit }, log)
share-of-span = { $quantity } (% of the span)
overlap = overlap
range-text = { $name }: { $low } to { $high }
peak-text = { $name }: { $count } I/Os, most around { $peak }, longest { $longest }

## Workloads in words
work-job = { $streams } × { $order }, { $sizes }, { $pacing }, over { $span }, aligned to { $align }
work-data = data: { $fill }
work-stop = until { $rules }
work-flush = one flush at the end, included in the time
work-sequential = sequential
work-random = random
work-random-once = random, each location once
work-partly = { $percent } % random, the rest sequential
work-by-access = a separate order for each kind of I/O
work-recorded = in the trace's order
work-zipf = Zipf (theta { $theta })
work-hot-spot = hot spot ({ $access } % of I/Os to { $span } % of the span)
work-closed = queue depth { $depth }
work-think = think time { $think } after each { $burst }
work-paced = one every { $every }
work-open = { $rate } I/Os per second, regardless of completions
work-reads = { $size } reads
work-writes = { $size } writes
work-trims = { $size } trims
work-mixed = { $size }, { $percent } % reads
work-bytes = { $bytes } moved
work-ios = { $count } I/Os
work-passes = { $count } passes
work-time = { $time }
work-look-ios = { $time }, checked every { $count } I/Os
work-look-pass = { $time }, checked after each full pass
work-span-many = { $count } spans within { $from } to { $to }
fill-fresh = random, never repeating
fill-repeat-each-mib = random, repeating every MiB
fill-zeros = all 0x00
fill-ones = all 0xFF
fill-pattern = a repeated short pattern
fill-labelled = sectors labelled with their address
work-compressible = { $fill }, { $percent } % compressible

## Units
unit-count = count
unit-per-min = /min

## Names of facts in results
fact-capacity = Drive capacity
fact-controller = Controller
fact-device = Device
fact-flash = Flash
fact-imported-from = Imported from
fact-interface = Interface
fact-logical-block = Logical block
fact-mount-options = Mount options
fact-physical-block = Physical block
fact-rotational = Rotational
fact-scheduler = Scheduler
fact-stack = Stack
fact-write-cache = Write cache
fact-cpu = CPU
fact-cpu-threads = CPU threads
fact-cpu-governor = CPU governor
fact-file-system = File system
fact-test-file = test file
fact-member = Member { $n }
fact-partition-start = Partition start
fact-recording = Recording
fact-stripe = Stripe
fact-zones = Zones
fact-firmware = Firmware
fact-kernel = Kernel
fact-known-by = Known by
fact-link = Link
fact-link-read = Link, reading
fact-link-write = Link, writing
fact-memory = Memory
fact-model = Model
fact-serial = Serial
fact-wwn = WWN
fact-namespace = Namespace
fact-partition = Partition
fact-system = System
fact-seed = Seed

## A sweep
sweep-title = Sweep
sweep-lede = One modelled drive with changed parameters: each point is a new drive on which the same method ran.
sweep-points = Points

## A document's tables next to the models
published-title = The document's figures
published-lede = What the document published, next to what the modelled drives give. "Fitted to": a model was fitted to the figure; "predicted": none was; "bound": a maximum, a single run, an order of magnitude. `drivelab develop reproduce --figure F001` explains one.
published-shortened = Runs were shortened: these values cannot be compared with the published figures as they are. `--scale full` takes the document's own times.
published-value = published { $value }
published-off = { $percent } % off
published-calibrate = fitted to
published-calibrate-at-full = fitted to in full runs
published-predict = predicted
published-range = bound
published-drive = drive
published-claims = What the document says in words
published-lacking = What the models lack, where they miss a figure

## Simulated and published figures
reproduce-title = Modelled drives compared with published figures
reproduce-predicted = predicted
reproduce-claims = predicted orders and behaviours
reproduce-calibrated = calibration figures
reproduce-exact = calibration figures, exactly determined (not scored)
reproduce-trivial = adjacent to a calibration figure (not scored)
reproduce-derived = follows from other figures (not scored)
reproduce-range = bounds, maxima and single runs (compared, not scored)
reproduce-not-counted = not scored
reproduce-published = published
reproduce-simulated = simulated
reproduce-null = null guess
reproduce-error = error
reproduce-null-error = its error
reproduce-holds = holds
reproduce-fails = does not hold
reproduce-missing = Missing: { $what }
reproduce-not-run = not run
reproduce-all = all documents
reproduce-score-calibrated = calibrated
reproduce-score-predicted = predicted
reproduce-score-null = null guess
reproduce-score-claims = claims held (cannot fail)
reproduce-claim-score = { $held }/{ $rows } ({ $idle })
reproduce-first = { $name }, first score
reproduce-now = { $name }, now
reproduce-stricter = predicted, read more strictly
reproduce-score-first = first score
reproduce-score-now = now
reproduce-no-tolerances = without tolerances
reproduce-drives-alone = rows that depend on a drive
reproduce-neither = both
reproduce-fails-with = Does not hold with { $changes }
reproduce-cannot-fail = holds, but cannot fail
reproduce-holds-with = Holds with { $changes } as well
reproduce-no-change = No change of the model is known with which it does not hold
reproduce-says-nothing = Does not depend on the drive: { $why }
reproduce-errors = { $median }, { $count }/{ $run } in { $bound }
reproduce-picture = Published against simulated values, both on logarithmic axes in the figure's own unit: on the diagonal they agree; the bands show ±10 and ±25 per cent.
reproduce-axis-published = published (each in its own unit)
reproduce-axis-simulated = simulated

## Verdicts by use
answer = In short
answer-fit = Good for: { $uses }.
answer-limited = With limits: { $uses }.
answer-unfit = Not for: { $uses }.
answer-open = Not determined: { $uses }.
answer-reserved = Provisional: { $what }
answer-provisional = Not determined, since the cause may not be the drive: { $uses }.
provisional-figure = not held against the drive: measured on a busy computer or over a slow link
reservation-busy-host = The computer was busy while this was measured. { $why }
reservation-busy-host-load = Load average { $load } (processors: { $processors }).
reservation-busy-host-late = { $late } of the program's own wake-ups were 1 ms late or more.
reservation-busy-host-others = { $ios } I/Os of other programs reached the drive in 100 ms.
reservation-busy-host-stolen = A hypervisor took { $stolen } of the processors' time.
reservation-busy-host-do = Long responses may be the computer's: measure again when nothing else runs.
reservation-own-pauses = The program itself was paused for { $total } (pauses: { $pauses }, the longest { $longest }); that time and { $ios } I/Os are excluded.
reservation-own-pauses-do = Keep the computer awake and the program running, so that no time is excluded.
reservation-slow-link = The link runs at { $has }; the drive supports { $best }.
reservation-slow-link-do = Rates are those of the link: to measure the drive, use a faster slot, port or cable.
reservation-virtual-disk = The disk is virtual ({ $layers }): I/Os may be served from the hypervisor host's memory.
reservation-virtual-disk-do = To judge the drive, measure on the host itself.
reservation-compressing-file-system = Data is compressed before it is written ({ $layers }).
reservation-compressing-file-system-do = To judge the drive, measure the device, or a directory without compression.
reservation-degraded-array = { $layers }: the array is degraded or being synchronised, and is slower for it.
reservation-degraded-array-do = To judge the array, measure it again when it is complete and idle.
reservation-layer-beneath = { $layers } is between the target and the drive, and is measured with it.
reservation-layer-beneath-do = To judge the drive, measure the device itself.
answer-next = to find out more: { $command }
unchecked = Not checked: { $what }.
unchecked-capacity = whether all of its capacity is there ({ $command })
unchecked-flushes = whether flushed data survive ({ $command })
unchecked-waking = whether it wakes slowly after idle time ({ $command })
so-far = { $what } (so far)
so-far-chip = (so far)
measured-share = { $share } of the drive was measured
measured-file = a test file of { $size } was measured
so-far-explained = So far: judged from a test file or from part of the drive. The whole drive may differ, for example if a cache holds more than was written.
list-separator = {", "}
clause-separator = {"; "}
signature = Charts at a glance
signature-above = The chart of this method is shown above.
sentence-separator = {" "}
point-strong = { $name }: { $value }; { $means }
point-weak = { $name }: { $value }, where { $fit } is needed; { $means }
measure-sequential = Large files, reading
measure-single = Small reads, one at a time
measure-after-cache = Writes after the cache
measure-tail = p99.9 of reads under load
rule-small-reads-means = an operating system waits { $n } s for it at boot
rule-small-writes-means = an update of 18,000 small files takes { $n } s
rule-worst-beside-load-means = the longest wait seen while other programs kept the drive busy
rule-stutters-means = how often people see the system freeze
rule-level-rate-means = a 10 GB level loads in { $n } s
rule-game-trace-means = a game of 2 GB loads in { $n } s
rule-within-a-frame-means = one read in a thousand takes longer; a frame lasts 16.7 ms
rule-stream-reads-means = plays { $n } UHD streams at once
rule-stream-writes-means = records { $n } UHD streams at once
rule-copy-within-means = a copy within the drive takes { $n } times as long as reading and writing separately
rule-line-reads-means = fills { $n } Gigabit lines
rule-line-writes-means = a backup fills { $n } Gigabit lines for hours
rule-many-users-means = what each of many users waits
rule-array-reads-means = a RAID array drops a drive that takes about 7,000 ms
rule-array-writes-means = a RAID array drops a drive that takes about 7,000 ms
rule-rebuild-means = any of them is data lost in a rebuild
rule-record-rate-means = records { $n } UHD streams until the drive is full
rule-record-slowest-means = records { $n } UHD streams at its slowest position
rule-record-worst-means = what a recorder must buffer at the worst moment
rule-record-errors-means = any of them is a lost piece of a recording
rule-play-slowest-means = plays { $n } UHD streams at its slowest position
rule-play-worst-means = what a player must buffer at the worst moment
rule-play-errors-means = any of them is a piece that cannot be shown
uses = Fitness by use
uses-rules = How fitness is judged
uses-explained = A use requires certain figures, each with two bounds: within the first the drive is fit, within the second limited, beyond it unfit. The worst figure decides; there are no weights and no points. Missing figures are not guessed; the method that would measure them is named. Bounds come from the task (a video stream, a network line, human patience), not from any drive. Long responses of a modelled drive are taken at the upper end of their error, as found by comparison with a real drive; those never compared can count against the drive, but not for it.
uses-of-shortened = Some of these verdicts use figures of a shortened measurement.
use-bounds = fit { $fit } { $unit }, limited { $limited } { $unit }
standing-fit = fit
standing-limited = limited
standing-unfit = unfit
standing-cannot-be-said = not determined
use = Use
rule = Requirement
bounds = Bounds
figures-of = Figure, by method
reasoning = Rationale
to-run = To determine:
source-whole = the whole drive
source-samples = at least { $least } samples
lack-not-run = { $method } has not been run
method-crystaldiskmark = CrystalDiskMark
method-full-scan = full scan
method-quick-scan = quick scan
method-slc-fill = SLC fill
method-latency-watch = latency watch
method-application-traces = application traces
method-delay-ratio = DelayRatio
method-iometer = Iometer
method-hd-tune = HD Tune Pro
method-datasheet = data-sheet figures
method-crystaldiskmark-classic = CrystalDiskMark 3
method-as-ssd = AS SSD Benchmark
method-zones = zones
lack-not-measured = { $method } has no figure "{ $figure }" here
lack-no-value = { $method }: { $figure } has no value ({ $why })
lack-not-whole = { $method } covered { $span }, not the whole drive
lack-test-file = { $method } ran in a test file, not over the whole drive
lack-too-few = { $method } has { $n } samples; at least { $least } are needed
lack-seeks = { $method } stayed so briefly at each position that the seeks between them would dominate
use-os-drive = OS drive
use-os-drive-about = The operating system boots from it and applications are installed on it: many small I/Os that wait for each other, and a person who waits for all of them.
use-game-load = Game load
use-game-load-about = Games start from it and stream data while they run: large files, dependent small reads, reads within a frame's time.
use-video-editing = Video editing
use-video-editing-about = Several streams are read while others are written, for hours.
use-nas = NAS
use-nas-about = It serves several users over Gigabit Ethernet and is a member of an array.
use-continuous-recording = Continuous recording
use-continuous-recording-about = Video or samples are written without interruption until the drive is full.
use-continuous-play-out = Continuous play-out
use-continuous-play-out-about = Video or samples are read without interruption from beginning to end.
rule-small-reads = Small reads, one at a time
rule-small-reads-why = Starting an operating system takes about 18,000 small reads, most of which wait for the previous one: 5 s at 15 MB/s of 4 KiB, 20 s at 3.7 MB/s.
rule-small-writes = Small writes, one at a time
rule-small-writes-why = An update replaces thousands of small files: 18,000 writes of 4 KiB take 5 s at 15 MB/s, 20 s at 3.7 MB/s.
rule-worst-beside-load = Longest response under load
rule-worst-beside-load-why = People perceive 100 ms as immediate and lose their train of thought after 1,000 ms (Miller 1968; Nielsen, Usability Engineering, 1993, chapter 5): no single I/O may block the desktop for longer.
rule-stutters = Stutters under load
rule-stutters-why = A stutter is a response of 100 ms or more. There should be none; 6 per minute are one every 10 s, about as long as attention stays on a task (Nielsen 1993).
rule-level-rate = Reading large files
rule-level-rate-why = A level of 10 GB loads in 20 s at 500 MB/s, in a minute at 167 MB/s.
rule-game-trace = Loading a game
rule-game-trace-why = 2 GB in large and small pieces, many of them dependent, load in 10 s at 200 MB/s, in 40 s at 50 MB/s.
rule-within-a-frame = p99.9 of reads under load
rule-within-a-frame-why = At 60 frames per second a frame lasts 16.7 ms, within which a game should get what it streams; a hitch of 100 ms is visible to everyone.
rule-stream-reads = Reading the whole drive, bytes over time
rule-stream-reads-why = A UHD stream of ProRes 422 HQ at 29.97 frames per second takes 884 Mbit/s, 110.5 MB/s (Apple, ProRes White Paper). Three at once, two in a transition and one above them, need 331.5 MB/s.
rule-stream-writes = Sustained writes
rule-stream-writes-why = The rate after all caches are used up must carry one such stream, 110.5 MB/s; capturing one while rendering another takes 221 MB/s.
rule-copy-within = Concurrent reading and writing (DelayRatio)
rule-copy-within-why = The time of a copy within the drive, divided by the time of writing and reading separately: up to 1 they overlap; above 2 the drive loses as much time switching as it works.
rule-line-reads = Reading the whole drive, bytes over time
rule-line-reads-why = Gigabit Ethernet carries 118.7 MB/s of TCP data (1,460 of the 1,538 bytes of a frame, at 125 MB/s), and file protocols about 112 MB/s of it (estimate); a slower drive is the bottleneck. Half of it, 56 MB/s, is the minimum.
rule-line-writes = Sustained writes
rule-line-writes-why = A backup fills the line for hours: 112 MB/s as for reads; half of it, 56 MB/s, is the minimum.
rule-many-users = Mean response at queue depth 32
rule-many-users-why = Iometer's file server mix, with 32 I/Os waiting at once: up to 400 ms people work without waiting (Doherty and Thadani 1982), after 1,000 ms they lose their train of thought (Miller 1968; Nielsen 1993). The 100 ms of a desktop are beyond any disk here: at 5,400 rpm it does about 230 such I/Os a second, so each waits 140 ms.
rule-array-reads = Longest response, reading
rule-array-reads-why = Drives for arrays give up on a sector after 7,000 ms (error recovery control: ERC, TLER, CCTL), because an array drops a drive that does not answer for longer; users notice 1,000 ms.
rule-array-writes = Longest response, writing
rule-array-writes-why = As for reads: an array drops a drive that does not answer for about 7,000 ms; users notice 1,000 ms.
rule-rebuild = Read errors over the full LBA range
rule-rebuild-why = A rebuild reads every sector, and an unreadable one is lost data: 0 are acceptable.
rule-record-rate = Sustained writes
rule-record-rate-why = A UHD stream of ProRes 422 HQ at 29.97 frames per second needs 110.5 MB/s, an HD stream at 59.94 frames per second 55 MB/s (Apple, ProRes White Paper).
rule-record-slowest = Slowest position, writing
rule-record-slowest-why = A stream does not slow down with the drive: 110.5 MB/s (UHD) or 55 MB/s (HD) are needed at the innermost position and in the slowest interval, too.
rule-record-worst = Longest response, writing
rule-record-worst-why = While the drive does not answer, the recorder buffers: 100 ms of a UHD stream are 11 MB, which any recorder has room for; 1,000 ms are 110 MB, a generous buffer; a longer gap loses frames.
rule-record-errors = Write errors over the full LBA range
rule-record-errors-why = A recording cannot be repeated: 0 are acceptable.
rule-play-slowest = Slowest position, reading
rule-play-slowest-why = A UHD stream of ProRes 422 HQ needs 110.5 MB/s at every position, an HD stream at 59.94 frames per second 55 MB/s (Apple, ProRes White Paper).
rule-play-worst = Longest response, reading
rule-play-worst-why = While the drive does not answer, the player shows its buffer: 100 ms of a UHD stream are 11 MB, 1,000 ms are 110 MB, a generous buffer; a longer gap is visible.
rule-play-errors = Read errors over the full LBA range
rule-play-errors-why = What cannot be read cannot be shown: 0 are acceptable.

## Pages and files
pages = Pages
comparison = Comparison
picture-svg = This grid as a picture (SVG)
picture-png = PNG
csv-table = Verdict table (CSV)
csv-figures = All figures (CSV)
save-as = Save as

## Health
health = Health before and after
health-explained = What each drive reported before and after each run. Values that a drive does not report are left out, never taken as zero.
health-run = Run
health-condition = Condition
health-word-good = good
health-word-unknown = unknown
health-word-suspect = suspect
health-word-failing = failing
health-temperature = Temperature
health-host-written = Host writes
health-host-read = Host reads
health-flash-written = Flash writes
health-used = Endurance used
health-spare = Available spare
health-hours = Power-on hours
health-reallocated = Reallocated sectors
health-pending = Pending sectors
health-uncorrectable = Uncorrectable errors
health-media-errors = Media errors
health-link-errors = Link errors

## The list of stored results
browser-title = Stored results
browser-lede = Stored runs: { $count }. All figures are in this page; charts and settings are included for the newest { $details }.
browser-noscript = This list needs scripts, which are off: use "drivelab results" and "drivelab report".
browser-search = Search
browser-number = Number
browser-began = Began (UTC)
browser-method = Method
browser-kind = Real or modelled
browser-figure = Figure
browser-from = From
browser-to = Until
browser-reset = Show all
browser-choose = Select for comparison
browser-show = Show
browser-shown = (shown) of (all) runs
browser-compare = Compare
browser-choose-two = Select two to compare
browser-other-methods = These results are of different methods; only figures of the same method can be compared.
browser-difference = Second relative to first
browser-not-compared = Only the newest results can be compared on this page. To see whether these two differ:
browser-first = First
browser-second = Second

browser-only-figures = Charts and settings are included for the newest results only; these are the figures.
browser-details = The full report:
browser-all = all
browser-headline = each method's first

## More names of figures' parts
part-use-n = after { $n } % use
part-durable = durable,
part-flush = flush
part-flushed = flushed,
part-rest-n = after a rest of { $n }:
part-unflushed = not flushed,
part-writers-n = writers: { $n },
part-hot-spot = hot spot
part-random = random
part-sequential = sequential
part-waf = write amplification
part-zipf = Zipf
part-access = access time
part-accesses_s = I/Os alone
part-after = after the drop
part-after_s = after the desktop, to the last write
part-after-written = after the desktop, written
part-after-write-rate = after the desktop, write rate
part-aligned = aligned
part-bandwidth = bandwidth while busy
part-before = before the drop
part-boot = boot
part-boot_s = boot
part-burst = burst
part-cache = cache
part-copy-iso-from = ISO copy from the drive
part-copy-iso-to = ISO copy to the drive
part-copy-iso-within = ISO copy within the drive
part-copy-jpeg-from = JPEG copy from the drive
part-copy-jpeg-to = JPEG copy to the drive
part-copy-jpeg-within = JPEG copy within the drive
part-copy_s = copy within the drive
part-delay_ratio = DelayRatio
part-end = end
part-file-server = file server
part-web-server = web server
part-database = database
part-workstation = workstation
part-all-in-one = all in one
part-first_on-drive_s = first time, until all is on the drive
part-first_rate = first time, accepted by the host: rate
part-first_s = first time, accepted by the host
part-second_on-drive_s = second time, until all is on the drive
part-second_rate = second time, accepted by the host: rate
part-second_s = second time, accepted by the host
part-full-system = full system
part-game = game
part-game_s = game folder, time
part-game_rate = game folder, rate
part-iso_s = ISO folder, time
part-iso_rate = ISO folder, rate
part-program_s = program folder, time
part-program_rate = program folder, rate
part-games = games
part-install = install
part-knee = knee
part-mean-by-time = mean by time
part-misaligned = misaligned
part-move = move
part-plateau = plateau
part-ratio = ratio
part-read_s = reading, to a RAM disk and with its time
part-write_s = writing, from a RAM disk and with its time
part-record = record
part-rested = after idle time
part-save = save
part-score = score
part-size = size
part-start = start
part-read-start = read start
part-write-start = write start
part-total = total
part-use = use
part-whole = whole
part-whole-of-plateau = whole range of the plateau
part-written = written
part-range = range
part-steady = steady state
part-round = round
part-excursion = excursion
part-slope = slope
part-fresh = first round
part-last = last rounds
part-last-of-fresh = last rounds of the first
part-extents = extents
part-afterwards = afterwards
part-of-steady = of the steady level
part-late = lateness
part-took = duration
part-rounds = rounds
part-bursts = bursts
part-trim = trim
part-ranges = ranges
part-fill = fill
part-copy = copy
part-prepare = preparation
part-first = first
part-second = second

## Statistics
statistic-of-one = one run

## More units
unit-drivelab-points = drivelab points
unit-points = points
unit-ratio = ratio
fact-sectors = Sectors
fact-value-yes = yes
fact-value-no = no
fact-value-data-sheet = data sheet
fact-value-shingled = shingled, managed by the drive
fact-value-write-back = write back
fact-value-write-through = write through

## Scores that cannot detect a fault
blind = Scores that cannot see a defect
blind-figure = { $method }, { $figure }: within { $percent } % on all drives, while { $other } differs by a factor of { $times }.

## Screening
screen-title = Batch acceptance
screen-verdict = { $accepted } of { $drives } drives accepted; { $look } to look at, { $rejected } rejected.
screen-accept = accepted
screen-look = look at it
screen-reject = rejected
screen-drive = drive
screen-judged = verdict
screen-reasons = why
screen-oddness = oddness
screen-furthest = largest deviation (robust z)
screen-of-method = { $method }: { $says }
screen-of-phase = { $method }, { $phase }: { $says }
screen-because = { $says }: { $because }
screen-responses = { $op } responses
screen-odd-one = { $target } is the outlier: its oddness exceeds { $limit }, the limit for a batch of this size.
screen-odd-none = No drive is an outlier: no oddness exceeds { $limit }, the limit for a batch of this size.
screen-odd-few = At least three drives are needed to find an outlier.
screen-not-measured = Not measured
screen-explained = Rejected: a limit exceeded, a failed I/O, a missing result. To look at: within the limits, but unlike the others. Oddness is the greatest of three robust z scores against the batch (distance from the median in median absolute deviations, scaled): the median over a method's figures, the transfer curves' mean distance from the batch's median curve, and the distance of the response distributions from the others'.

# Why a drive is not accepted
acceptance-missing = { $missing } of { $steps } steps have no result
acceptance-read-longest = longest read { $value } (at most { $most })
acceptance-write-longest = longest write { $value } (at most { $most })
acceptance-read-p99 = 99 % of reads within { $value } (at most { $most })
acceptance-write-p99 = 99 % of writes within { $value } (at most { $most })
acceptance-few-reads = too few reads for a 99th percentile: { $count }
acceptance-few-writes = too few writes for a 99th percentile: { $count }
acceptance-no-reads = reads have a limit, but none was measured
acceptance-no-writes = writes have a limit, but none was measured
acceptance-failed = failed I/Os: { $count } (at most { $most })
acceptance-failed-reads = failed reads: { $count } (at most { $most })
acceptance-failed-writes = failed writes: { $count } (at most { $most })
acceptance-differing = reads that returned other data than was written: { $count } (at most { $most })
acceptance-below = { $below } below the batch from { $from } to { $to } (at most { $most })
acceptance-suspect = health: suspect
acceptance-failing = health: failing
acceptance-unknown = health: unknown
acceptance-reallocated = reallocated sectors: { $count } (at most { $most })
acceptance-pending = pending sectors: { $count } (at most { $most })
acceptance-uncorrectable = uncorrectable errors: { $count } (at most { $most })
acceptance-hot = { $heat } (at most { $most })
acceptance-outlier = outlier of the batch: oddness { $oddness } (limit { $limit })
acceptance-weak = slow from { $from } to { $to }: { $factor } times as long as expected there, { $count } I/Os or more, up to { $worst }
acceptance-stalls = stalled { $count } times for up to { $longest }; the others mostly { $others } times
acceptance-long-reads = reads longer than { $limit }: { $count }, up to { $longest }; the longest of the others is mostly { $others }
acceptance-long-writes = writes longer than { $limit }: { $count }, up to { $longest }; the longest of the others is mostly { $others }

# Maps of surfaces
map-mean-read = Time of a read
map-mean-write = Time of a write
map-worst-read = Longest read
map-worst-write = Longest write
map-scale = A square is { $width }, { $from } to { $to }
map-scale-part = A square is { $width }, { $from } to { $to }, of which { $share } was visited
map-separator = {", "}
map-up-to = up to { $time }
map-beyond = longer
map-slow = slow
map-failed = failed
map-unvisited = not visited
map-place = { $from } to { $to }: mean { $mean }, longest { $worst }
map-place-failed = { $from } to { $to }: { $failed } failed

# Pictures as PNG
png-no-font = no font was found on this computer: the PNG pictures have no text, the SVG ones do
png-no-japanese-font = no Japanese font was found on this computer: text is missing in the PNG pictures; the SVG ones have it

# Parts of figures of cold starts, verification and ageing data
part-cold-reads-first = cold, reads first:
part-cold-writes-first = cold, writes first:
part-cold-to-warm = cold to warm
part-power-cut = after a power cut:
part-overwritten = overwritten without a flush:
part-in-order = in order
part-read-rate = read rate
part-read-errors = read errors
part-other-address = other address
part-old-generation = old generation
part-unwritten = unwritten
part-lost = lost
part-claimed = claimed
part-kept = kept
part-differing = differing
part-corrupt = corrupt
part-queued = queued
part-read-back = read back
part-ratio-to-in-order = ratio to in order
part-old-to-new = old to new
part-read-error-rate = read error rate
part-beside-finish = beside finish
part-beside-reset = beside reset
part-beside-writes = beside writes
part-beside-reads = beside reads
part-reads = reads
part-touched = touched
part-filled = filled
part-finished = finished
part-empty = empty
part-close = close
part-open = open
part-limit = limit
part-finish = finish
part-reset = reset
part-append = append
unit-of-100 = of 100

## Answers: what a method's result says (analysis::answers)
answer-slc-fill-falls = { $cache } at { $before }, then { $after }: { $share } of it.
answer-slc-fill-even = { $rate } for all of the { $written } written: the speed does not drop.
answer-slc-fill-even-part = { $rate } for the { $written } written, without a drop; larger writes were not tested.
answer-accesses-failed = { $failed-count ->
    [one] One I/O failed, at { $place }
   *[other] { $failed } I/Os failed, the first at { $place }
 }: copy off what matters. The figures are those of the others.
answer-no-room = { $failed-count ->
    [one] One I/O
   *[other] { $failed } I/Os
 } found no room: the pool, quota or file system is full; this says nothing about the drive.
answer-ended-untold = The run ended before it had an answer.
answer-ended-early = The run ended early; until then: { $said }
answer-untold = No answer: the run has no figure for it.
answer-untold-because = No answer: { $why }.
answer-by-model = { $told } (by the model, unverified)
answer-by-model-percent = { $told } (by the model, which was { $off } off a real drive)
answer-by-model-factor = { $told } (by the model, which was { $off } times off a real drive)
answer-reads = reads
answer-writes = writes
answer-rates-both-small = Sequential reads { $read }, writes { $write }; { $small } IOPS of small random reads at queue depth 1 ({ $small-rate }).
answer-rates-both = Sequential reads { $read }, writes { $write }.
answer-rates-read-small = Sequential reads { $read }; { $small } IOPS of small random reads at queue depth 1 ({ $small-rate }).
answer-rates-read = Sequential reads { $read }.
answer-rates-write = Sequential writes { $write }.
answer-crystaldiskmark-best = Best runs; uses are judged by medians.
answer-rates-small = { $small } IOPS of small random reads at queue depth 1 ({ $small-rate }).
answer-as-ssd-score = Total score: { $points } points.
answer-scan-clean = No error in { $size }: { $rate } throughout, the longest I/O { $longest }.
answer-scan-clean-ends = No error in { $size }: { $start } at the start, { $end } at the end, { $rate } on average, the longest I/O { $longest }.
answer-scan-clean-part = No error in the { $share } of the LBA range that was scanned, at { $rate }, the longest I/O { $longest }; the rest was not scanned.
answer-scan-clean-file = No error in the { $share } of the file that was scanned, at { $rate }, the longest I/O { $longest }; the rest was not scanned.
answer-scan-clean-two-ends = No error in { $share } of the LBA range: { $start } at the start, { $end } at the end, the longest I/O { $longest }; the middle was not scanned.
answer-scan-unreadable = { $places-count ->
    [one] One place cannot be read, at { $first }
   *[other] { $places } places cannot be read, the first at { $first }
 }: copy off what matters.
answer-scan-unwritable = { $places-count ->
    [one] One place cannot be written, at { $first }
   *[other] { $places } places cannot be written, the first at { $first }
 }: the drive is not sound.
answer-scan-failed = { $failed-count ->
    [one] One I/O
   *[other] { $failed } I/Os
 } of the scan failed: copy off what matters.
answer-quick-scan-clean = No error { $regions-count ->
    [one] at the one position that was tried
   *[other] at { $regions } positions across the LBA range
 } ({ $share } of it): { $rate } on average, the longest access { $longest }.
answer-quick-scan-clean-file = No error { $regions-count ->
    [one] at the one position of the file that was tried
   *[other] at { $regions } positions across the file
 } ({ $share } of it): { $rate } on average, the longest access { $longest }.
answer-latency-watch-quiet = No stall of { $limit } or more in { $watched }; the longest response { $alone } alone, { $loaded } under load.
answer-latency-watch-quiet-alone = No stall of { $limit } or more in { $watched }; the longest response { $alone }.
answer-latency-watch-alone = Stutters even when almost idle: { $stutters } times a minute, for up to { $longest }.
answer-latency-watch-loaded = Does not stutter alone; under load { $stutters } times a minute, for up to { $longest }.
answer-latency-watch-writing = Stutters during small writes: { $stutters } times a minute, for up to { $longest }; reads do not stutter.
answer-latency-watch-also = Under load { $stutters } times a minute.
answer-iometer = { $spec } load: { $one } IOPS at queue depth 1, { $most } at { $depth } (mean response { $mean }).
answer-iometer-one-depth = { $spec } load: { $most } IOPS at queue depth { $depth }, mean response { $mean }.
answer-hd-tune-even = { $mean } at { $points } points across the drive; a random I/O takes { $access }.
answer-hd-tune-even-rate = { $mean } at { $points } points across the drive.
answer-hd-tune-ends = { $start } at the start, { $end } at the end, { $mean } as the mean of the points; a random I/O takes { $access }.
answer-hd-tune-ends-rate = { $start } at the start, { $end } at the end, { $mean } as the mean of the points.
answer-hd-tune-random-access-reads = { $rate } IOPS of small reads across the drive, { $mean } each on average, the longest { $longest }.
answer-hd-tune-random-access-writes = { $rate } IOPS of small writes across the drive, { $mean } each on average, the longest { $longest }.
answer-range-sweep-knee = Random reads slow down when they span { $knee } or more: { $left } of { $rate } IOPS are left over { $largest }.
answer-range-sweep-even = Random reads are as fast over { $largest } as over less: { $rate } IOPS.
answer-atto = Sequential reads up to { $read }, writes up to { $write }; reads reach full speed from I/Os of { $size } on.
answer-atto-read = Sequential reads up to { $read }, at full speed from I/Os of { $size } on.
answer-atto-write = Sequential writes up to { $write }, at full speed from I/Os of { $size } on.
answer-alignment-partition = The partition itself starts at { $start }, off every boundary, so neither area is aligned: their ratio means nothing. Start it at 1 MiB, then measure again.
answer-alignment-nothing = A partition offset of { $sectors } sectors costs nothing: small writes at { $misaligned }, aligned { $aligned }.
answer-alignment-some = A partition offset of { $sectors } sectors costs small writes { $lost }: { $misaligned } instead of { $aligned }.
answer-alignment-slower = A partition offset of { $sectors } sectors makes small writes { $factor } times slower: { $misaligned } instead of { $aligned }.
answer-delay-ratio-overlaps = Reads and writes at the same time: a copy within the drive takes { $copy }, { $share } of reading and writing separately.
answer-delay-ratio-in-turns = Reads and writes in turns: a copy within the drive takes { $copy }, as long as reading and writing separately.
answer-delay-ratio-missed = The model misses how this drive copies within itself: its ratio is { $ratio }, the published one { $published }.
answer-delay-ratio-missed-by = The model misses how this drive copies within itself: its ratio of { $ratio } is known to be a factor of { $off } away.
answer-delay-ratio-hinders = Reads and writes slow each other down: a copy within the drive takes { $copy }, { $factor } times as long as reading and writing separately.
answer-file-copy-part = { $share } of { $whole }
answer-file-copy = { $folder } is copied at { $rate }, in { $first }.
answer-file-copy-twice = { $folder } is copied at { $rate }, in { $first }; the second time in { $again }.
answer-file-copy-several = Folders are copied at { $rate } ({ $folder }) to { $best } ({ $best-folder }).
answer-os-boot = A boot of { $accesses } I/Os takes { $boot }, { $drive } of it waiting for the drive.
answer-boot-phases = The desktop appears after { $boot }; then the drive is busy for { $after } more with { $written } of deferred writes.
answer-boot-phases-desktop = The desktop appears after { $boot }.
answer-application-traces = Runs { $set } at { $rate }, { $access } per I/O on average: { $points } of drivelab's own points.
answer-ageing-once = Random writes at { $last } after { $used } of the area was overwritten; one step shows no trend.
answer-ageing-same-part = No slower after { $used } of a small part was overwritten: random writes at { $last }; drives slow down when all of the capacity is used.
answer-ageing-same = Does not slow down with use: random writes at { $last } after { $used } of the area was overwritten.
answer-ageing-slower = Slows down with use: random writes drop from { $first } to { $last } ({ $share }) once { $used } of the area was overwritten.
answer-ageing-stutters = It then stutters { $stutters } times a minute.
answer-wear-out-refuses = Refuses writes after { $written }; { $readable } of its data is still readable.
answer-wear-out-refuses-unread = Refuses writes after { $written }; whether its data is still readable was not tested.
answer-wear-out-not = Not worn out by { $written } of writes: this does not show how much it endures.
answer-write-amplification = Write amplification: { $random } under random overwrites, { $sequential } under sequential ones.
answer-write-amplification-part = Only a part of the drive was overwritten, and the rest served as spare flash: a full drive amplifies more.
answer-write-amplification-not-told = Flash writes are not known: { $why }.
answer-file-system-same = It makes no difference whether the drive has { $one } or { $other }: figures differ by { $apart } at most.
answer-file-system-differs = It matters whether the drive has { $one } or { $other }: figures differ by up to { $factor } times.
answer-pts-steady = Steady after { $rounds } rounds: { $said }
answer-pts-part = Steady, but over a small part of the drive: { $said }
answer-pts-not-steady = Not steady after { $rounds } rounds: { $said }
answer-pts-unsteady = Not steady: { $said }
answer-pts-iops = small random reads { $reads } IOPS, writes { $writes } IOPS.
answer-pts-throughput = sequential reads { $read }, writes { $write }.
answer-pts-latency = a small read takes { $read } and a small write { $write } on average, the longest write { $longest }.
answer-pts-write-saturation-steady = Falls from { $fresh } IOPS of small writes when fresh to { $last } in steady state: { $left } is left after { $times } times the area.
answer-pts-write-saturation-not-steady = Not steady yet after { $times } times the area: { $last } IOPS of small writes, { $left } of the { $fresh } when fresh.
answer-pts-host-idle-recovery = idle periods of { $rest } add { $share } to the { $steady } IOPS of small writes without them.
answer-pts-host-idle-recovery-rate = { $bursts } IOPS of small writes after idle periods of { $rest }, { $steady } without.
answer-replay-reads = { $rate } IOPS as recorded; half of the reads took { $median } or less, 99 % { $p99 } or less.
answer-replay-writes = { $rate } IOPS as recorded; half of the writes took { $median } or less, 99 % { $p99 } or less.
answer-replay-median = { $rate } IOPS as recorded; half of the I/Os took { $median } or less.
answer-replay-late = { $late } were sent more than 1 ms late: the drive does not keep up with the recording.
answer-verify-whole = All { $written } of the drive reads back as written.
answer-verify-part = All { $written } that was written reads back as written; the rest of the drive was not tested.
answer-verify-fake = Keeps { $kept } of the { $written } that it accepted: it has less than it claims. Do not use it.
answer-verify-differs = { $sectors-count ->
    [one] One sector does
   *[other] { $sectors } sectors do
 } not read back as written: the drive corrupts data. Do not use it.
answer-verify-unreadable = { $reads-count ->
    [one] One read
   *[other] { $reads } reads
 } of what was just written failed: the drive is not sound.
answer-verify-loses = Loses data that it acknowledged as safe: { $lost } flushed sectors were gone after a power cut.
answer-verify-unflushed = { $size } of unflushed data was gone after a power cut, which is allowed.
answer-slc-recovery-none = { $written } of writes at { $rate } did not use up a fast cache: there is nothing to recover yet.
answer-slc-recovery-all = The fast cache is back after { $rest } idle: { $volume } at full speed, { $cache } at first.
answer-slc-recovery-part = The fast cache is only partly back after { $rest } idle: { $volume } of { $cache } at full speed.
answer-queued-read-back-same = Reads back equally fast however it was written: { $queued } after queued writes, { $in-order } after sequential ones.
answer-queued-read-back-order = Randomly written data reads back at { $queued } instead of { $in-order } ({ $share }); queued writes make it no worse.
answer-queued-read-back-queue = Queued small writes scatter data: it reads back at { $queued } instead of { $in-order } ({ $share }).
answer-cold-start-same = Not slower when cold: { $share } of the warm rate or more.
answer-cold-start-slower = Slower when cold: reads at { $read } and writes at { $write } of the warm rate.
answer-cold-start-slower-reads = Slower when cold: reads at { $read } of the warm rate.
answer-cold-start-slower-writes = Slower when cold: writes at { $write } of the warm rate.
answer-retention-same = Data written { $days } days ago reads as fast as fresh data: { $old }.
answer-retention-slower = Data written { $days } days ago reads at { $old } instead of { $new }.
answer-retention-rate = Data written { $days } days ago reads at { $old }.
answer-retention-lost = Data are lost after { $days } days: { $lost-count ->
    [one] one read failed or returned
   *[other] { $lost } reads failed or returned
 } other data.
answer-as-ssd-copy = Copies within the drive: large files at { $iso }, many small ones at { $program }, a game at { $game }.
answer-as-ssd-compression-compresses = Compressible data is written { $gain } times as fast ({ $best } instead of { $plain }): the controller compresses.
answer-as-ssd-compression-not = Compressible data is written no faster ({ $plain }): the controller does not compress.
answer-fixed-rate = At most { $saturated } IOPS; at { $asked } IOPS, 99 % take { $p99 } or less.
answer-fixed-rate-few = Keeps up with { $asked } IOPS; too few I/Os for a 99th percentile.
answer-fixed-rate-one = At { $asked } IOPS, 99 % take { $p99 } or less.
answer-fixed-rate-behind = Does not keep up with { $asked } IOPS: it did { $done }.
answer-queue-depth-sweep-knee = Full speed from queue depth { $depth } on: { $rate } IOPS of { $accesses }, mean response { $mean }.
answer-queue-depth-sweep-gains = Still gains at queue depth { $depth }, the deepest tried: { $rate } IOPS of { $accesses }, mean response { $mean }.
answer-mixed-plane = Reads stay within { $bound } up to { $alone } IOPS alone, up to { $beside } IOPS beside writes at { $share } of their maximum.
answer-mixed-plane-alone = Reads stay within { $bound } up to { $alone } IOPS alone, never beside writes at { $share } of their maximum.
answer-mixed-plane-never = Reads do not stay within { $bound }, neither alone nor beside writes at { $share } of their maximum.
answer-mixed-plane-few = Whether reads are fast enough cannot be determined: fewer than a hundred are too few for a 99th percentile.
answer-commit = { $rate } commits a second from one writer, 99 % within { $p99 }.
answer-commit-few = { $rate } commits a second from one writer, half of them within { $median }; too few for a 99th percentile.
answer-commit-writers = { $rate } from { $writers }.
answer-idle-latency-awake = No slower after up to { $rest } idle: the first I/O takes { $awake }, about as long as when awake.
answer-idle-latency-wakes = Wakes slowly: the first I/O takes { $first } after { $rest } idle, { $awake } when awake.
answer-idle-latency-few = Whether it wakes slowly cannot be determined: that takes two idle times, measured three times each.
answer-explain-rotation = It turns { $speed } times a minute: a random access waits { $wait } for the place to come round, on average. A track at the start holds { $track }.
answer-explain-rotation-not-visible = Rotation: { $why }.
answer-explain-seek = A seek takes { $mean } on average ({ $low } to { $high }), { $third } over a third of the way, from { $shortest } over a few tracks to { $full } across the disk; the rotation comes on top.
answer-explain-seek-not-visible = Seek times: { $why }.
answer-explain-transfer = It streams { $outer } outside and { $inner } inside, { $mean } on average over the whole disk.
answer-explain-transfer-not-visible = Transfer rates: { $why }.
answer-explain-surfaces = Its surfaces are not equally dense: outside, the rate changes between { $slow } and { $fast } from place to place.
answer-explain-surfaces-not-visible = Surfaces of unlike density: { $why }.
answer-explain-map = The address map in memory covers { $covered } of the drive ({ $low } to { $high }). A random read elsewhere looks at the flash twice: { $miss } on top of { $hit }.
answer-explain-map-not-visible = Address map: { $why }. Either all of it is in memory, or a miss costs less.
answer-explain-map-not-asked = Address map: { $why }.
answer-explain-reads-ahead = It reads ahead: a read in order takes { $up } of a random one, in reverse { $down }.
answer-explain-keeps-neighbours = What lies beside a read is kept: in order a read takes { $up } of a random one, in reverse { $down }. Whether it also reads ahead cannot be told.
answer-explain-no-read-ahead = No read-ahead: a read in order takes { $up } of a random one.
answer-explain-read-ahead-open = Whether it reads ahead is open: a read in order takes { $up } of a random one, in reverse { $down }.
answer-explain-streams = Its read cache follows { $streams } streams at once; with one more, each is read from the medium again.
answer-explain-streams-not-visible = Streams of the read cache: { $why }.
answer-explain-ahead-by = At rest, up to { $ahead } after a read is read ahead.
answer-explain-ahead-by-not-visible = Length of read-ahead: { $why }.
answer-explain-queue = A queue gains a factor of { $gain }: { $ceiling } reads a second, from a depth of { $depth } on. Whether medium, controller or host is the limit cannot be told from here.
answer-explain-queue-gains-nothing = A queue gains nothing: { $ceiling } reads a second, however many wait.
answer-explain-writes-elsewhere = Random writes go somewhere else first: one takes { $share } of a random read, which no arm can do. The disk is shingled (SMR), or has a media cache.
answer-explain-writes-in-place = Not shingled: small random writes take { $share } of a random read, so they go to their places.
answer-explain-writes-open = Whether random writes go to their places is open: one takes { $share } of a random read.
answer-explain-writes-not-told = Random writes: { $why }.
answer-explain-write-cache = The write cache is on. It takes { $entries } small writes or { $bytes }, whichever comes first; then writes wait for the disc.
answer-explain-write-cache-entries = The write cache is on. It takes { $entries } small writes; then writes wait for the disc. How many bytes it takes is not visible.
answer-explain-write-cache-bytes = The write cache is on. It takes { $bytes }; then writes wait for the disc. Small writes do not reach a limit of their own.
answer-explain-write-cache-on = Writes are complete before they are at their places: a cache takes them. How much it takes is not visible: { $why }.
answer-explain-write-cache-off = The write cache is off: the first writes take { $share } of a turn, so they go to the medium.
answer-explain-write-cache-open = Whether the write cache is on is open: the first writes take { $share } of a turn.
answer-explain-write-cache-not-visible = Write cache: { $why }.
answer-explain-unit = Misaligned writes of 4 KiB take { $ratio } times as long as aligned ones: the drive maps units of 4 KiB or more that begin at 0.
answer-explain-unit-not-visible = Mapping unit: not visible. Misaligned writes of 4 KiB are no slower than aligned ones; a write cache in front would hide it.
answer-explain-beside-waits = Reads wait for writes, on flash for whole programs: beside writes one in a hundred takes { $beside } or longer, { $alone } alone.
answer-explain-beside-stops = Reads hardly wait for writes, on flash since programs stop for them: beside writes one in a hundred takes { $beside } or longer, { $alone } alone.
answer-explain-beside-disk = Beside writes, one read in a hundred takes { $beside } or longer, { $alone } alone.
answer-explain-stripe = The same die comes round after { $pages } pages of 16 KiB, { $planes } of them side by side: { $dies } dies, if those are planes of one.
answer-explain-stripe-of-unknown-width = The same die comes round after { $pages } pages of 16 KiB.
answer-explain-stripe-not-visible = Stripe: { $why }.
answer-explain-read-again-kept = What was read before comes from a cache: a second read of a place takes { $share } of a first one. A benchmark that comes back to the same addresses measures that cache.
answer-explain-read-again-not-kept = No read cache: a second read of a place takes { $share } of a first one.
answer-explain-read-again-open = Whether reads are cached is open: a second read of a place takes { $share } of a first one.
answer-explain-wakes = After a rest of { $rest } the first read takes { $longer } longer: the drive, its link or the host had gone to sleep.
answer-explain-awake = Nothing sleeps: after rests of up to { $rest } the first read is no slower.
answer-explain-compresses = Zeros are written { $ratio } times as fast as random data: the drive compresses what it is sent, or leaves out zeros. Benchmark it with random data.
answer-explain-compression-not-visible = Compression: not visible. Zeros are written no faster than random data; a cache or the link would hide it.
answer-explain-trim = TRIM is obeyed at once: a read of a trimmed page takes { $share } of one of a written page.
answer-explain-trim-ignored = TRIM is ignored or done later: a read of a trimmed page takes { $share } of one of a written page.
answer-explain-trim-open = Whether TRIM is obeyed is open: a read of a trimmed page takes { $share } of one of a written page.
answer-explain-trim-not-asked = TRIM: { $why }.
answer-explain-buffer = Write buffer: between { $least } and { $most }. A burst of small writes is taken at full speed up to { $taken }.
answer-explain-buffer-not-visible = Write buffer: { $why }.
answer-explain-slc = One-bit (SLC) cache: { $size } ({ $low } to { $high }), then { $after } for { $before }. What is copied beyond { $size } at a time goes at { $after }.
answer-explain-slc-not-visible = One-bit (SLC) cache: { $why }.
answer-explain-rest = When used up, the one-bit (SLC) cache comes back at rest: { $rate } from { $onset } after the last write on ({ $low } to { $high }).
answer-explain-rest-not-visible = One-bit (SLC) cache at rest: { $why }.
answer-zones = Zones fill at { $fill }, a full one is reset in { $reset }, and { $open } can be open at once.
answer-zones-no-limit = Zones fill at { $fill }, and a full one is reset in { $reset }; no limit on open zones was found.
answer-capacity-missing = Stores only { $kept } of the { $claimed } that it claims.
answer-capacity-whole = All of the claimed { $claimed } is there.

## Findings: problems of a drive (analysis::findings)
finding-cache-drop = fast cache ends
finding-cache-drop-says = After { $cache } of continuous writing the speed drops from { $before } to { $after }.
finding-cache-drop-means = Copies larger than the cache slow down to that; the cache recovers while the drive is idle.
finding-cache-drop-do = Let the drive idle between large copies, and keep some of it free.
finding-likely = Likely: { $what }
finding-possible = Possibly (there are other explanations): { $what }
finding-failing = the drive is failing
finding-failing-says = This drive is failing: { $what }
finding-failing-unreadable = { $areas-count ->
    [one] 1 unreadable area at { $place }
   *[other] { $areas } unreadable areas, the first at { $place }
 } ({ $ios } reads failed).
finding-failing-differing = { $areas-count ->
    [one] 1 area returns other data than was written, at { $place }
   *[other] { $areas } areas return other data than was written, the first at { $place }
 } ({ $ios } reads).
finding-failing-unwritable = { $areas-count ->
    [one] 1 area cannot be written, at { $place }
   *[other] { $areas } areas cannot be written, the first at { $place }
 } ({ $ios } writes failed).
finding-failing-unreadable-span = { $ios } reads failed, between { $place } and { $to }.
finding-failing-differing-span = { $ios } reads returned other data than was written, between { $place } and { $to }.
finding-failing-unwritable-span = { $ios } writes failed, between { $place } and { $to }.
finding-failing-unflushed = { $flushes-count ->
    [one] 1 flush failed
   *[other] { $flushes } flushes failed
 }: acknowledged writes may not be on the medium.
finding-failing-health = the drive says so itself ({ $reason }).
finding-failing-read-only = it has turned read-only: { $writes-count ->
    [one] 1 write was refused.
   *[other] { $writes } writes were refused.
 }
finding-failing-gone = it disappeared while it was measured, and no longer answers.
finding-failing-means = Data on it may be lost at any time.
finding-failing-do = Copy your data off now, then replace it.
finding-failing-do-gone = Check its power, cable and connector. If nobody unplugged it, copy your data off as soon as it is back: drivelab rescue { $target } image.raw; then replace it.
finding-failing-do-rescue = Copy your data off now: drivelab rescue { $target } image.raw; then replace it.
finding-missing-capacity = missing capacity
finding-missing-capacity-says = It stores only { $kept } of the { $claimed } that it claims.
finding-missing-capacity-means = Everything stored beyond that is lost without an error: the drive is counterfeit or broken.
finding-missing-capacity-do = Do not store anything on it; return it.
finding-loses-acknowledged-writes = loses acknowledged writes
finding-loses-acknowledged-writes-says = { $sectors } flushed sectors were gone after a power cut.
finding-loses-acknowledged-writes-means = A power failure corrupts databases and file systems on it.
finding-loses-acknowledged-writes-do = Switch its write cache off, or use it only behind a battery-backed controller or a UPS.
finding-unhealthy = health needs watching
finding-unhealthy-says = The drive's own health counters: { $reasons }.
finding-unhealthy-means = It may last for years, but it is more likely to fail than a drive without them.
finding-unhealthy-do = Back it up, run a long self-test (smartctl -t long), and look again in a week.
finding-flush-failed = a flush failed
finding-flush-failed-says = { $flushes-count ->
    [one] A flush of the file failed
   *[other] { $flushes } flushes of the file failed
 }, and no read or write did.
finding-flush-failed-means = Acknowledged writes may be lost; this does not show whether the drive or the file system failed.
finding-flush-failed-do = Check the kernel log (dmesg): an I/O error of the device means a failing drive.
finding-weak-area = slow area
finding-weak-area-says = From { $from } to { $to } reads take { $factor } times as long as in the surrounding area, up to { $longest } each.
finding-weak-area-says-between = Somewhere between { $from } and { $to } reads take { $factor } times as long as in the surrounding area, up to { $longest } each.
finding-weak-area-do-again = Scan it again when nothing else runs.
finding-weak-area-do-flash = Back up the data there, and scan it again in a week: flash also slows down where old data is stored, and rewriting it restores the speed.
finding-weak-area-means = An area that needs retries often becomes unreadable later.
finding-weak-area-do = Back up the data there, run a long self-test (smartctl -t long), and scan it again in a week.
finding-stutters = stutters
finding-stutters-says = It stutters: { $what }
finding-stutters-alone = almost idle, it stalled { $stalls-count ->
    [one] once
   *[other] { $stalls } times
 } in { $time }, for up to { $longest }.
finding-stutters-writing = during small writes it stalled { $stalls-count ->
    [one] once
   *[other] { $stalls } times
 } in { $time }, for up to { $longest }.
finding-stutters-loaded = under load it stalled { $stalls-count ->
    [one] once
   *[other] { $stalls } times
 } in { $time }, for up to { $longest }.
finding-stutters-elsewhere = It stalled { $stalls-count ->
    [one] once
   *[other] { $stalls } times
 } during { $method }, for up to { $longest }.
finding-stutters-means = Programs freeze for that long, however good the mean rates are.
finding-stutters-do = Do not use it for an operating system or a database; a longer watch (drivelab run latency-watch) shows how often it stalls.
finding-shingled = shingled (SMR)
finding-shingled-told = The disk is shingled (SMR): writes are fast only until its cache is full.
finding-shingled-managed = The disk is shingled (SMR) and host-managed: each zone is written sequentially from its start.
finding-shingled-shown = The disk behaves like a shingled one (SMR): small random writes are { $factor } times as fast as reads, and sequential overwriting reaches { $share } of the read rate.
finding-shingled-means = RAID rebuilds and long random writes wait while the cache is cleaned; a single write can take a second or more.
finding-shingled-do = Use it for backups and archives; keep it out of RAID and ZFS.
finding-slow-old-data = old data reads slowly
finding-slow-old-data-says = Data written { $days } days ago reads at { $then } instead of { $fresh }; after { $last } days at { $slowest }.
finding-slow-old-data-means = Old files load slowly although benchmarks look fine.
finding-slow-old-data-do = Update the firmware; rewriting the files restores their speed for some weeks.
finding-misaligned = misaligned partition
finding-misaligned-says = The partition begins at { $start }, which is not a multiple of 4 KiB.
finding-misaligned-means = Small writes touch two physical sectors or flash pages instead of one.
finding-misaligned-do = Recreate the partition at 1 MiB and copy the data back.
finding-throttles = throttles
finding-throttles-says = At { $hottest } the rate dropped from { $before } to { $after }.
finding-throttles-means = Long transfers run at the lower rate.
finding-throttles-do = Give it a heat sink or airflow.
finding-write-cache-off = write cache off
finding-write-cache-off-told = The disk's write cache is off: each write waits for the medium.
finding-write-cache-off-shown = The disk's write cache appears to be off: it writes at { $writes } but reads at { $reads }.
finding-write-cache-off-means = Writes take several times as long as they need to; acknowledged writes are safe.
finding-write-cache-off-do = If that safety is not needed: hdparm -W1.
finding-link-limited = limited by its link
finding-link-limited-says = The drive supports { $own } but runs at { $slot }.
finding-link-limited-means = Sequential rates are those of the slot, not of the drive.
finding-link-limited-do = Try another slot, port or cable, and check the mainboard's manual.
finding-host-cache = a host cache answers
finding-host-cache-says = { $rate } was measured, but the link carries only { $carries }.
finding-host-cache-means = These figures are those of memory, and acknowledged writes may be lost on power failure.
finding-host-cache-do = Measure with more data than the cache holds, or switch the cache off.
finding-wakes-slowly = wakes slowly
finding-wakes-slowly-says = After { $rest } of idle time the first I/O takes { $first }, the next { $second }.
finding-wakes-slowly-means = The first I/O after a pause is slow.
finding-wakes-slowly-do = If that matters, change the power management of drive and link (APST, ALPM, hdparm -S).
finding-zoned = zoned
finding-zoned-says = The host must write its zones sequentially ({ $zones }).
finding-zoned-means = Only zone-aware software can use it.
finding-zoned-do = Use a zone-aware file system (btrfs, f2fs, zonefs) or software made for zones.
finding-compresses = compresses
finding-compresses-says = Compressible data is written { $gain } times as fast as incompressible data ({ $random }).
finding-compresses-means = Benchmarks that write zeros flatter it; films and archives get the lower rate.
finding-compresses-do = Compare it by its figures for incompressible data.
answer-unverified = By the model: long responses unverified.
answer-health = Health, as the drive reports it: { $word }{ $facts }.
answer-health-used = { $used } % of its endurance used

## Common questions and their answers (analysis::questions)
questions-page = # Question to command

    Common questions about a drive, the command that answers each, and what it runs. Each command first prints how long it
    takes and how much it writes, and answers in at most a dozen lines: yes, no, undecided, or a figure; the reason; and
    what would make the answer more certain. This page is generated from the questions themselves.

    | question | command | runs |
    |---|---|---|
question-yes = Yes.
question-no = No.
question-undecided = Undecided.
question-no-result = No result answers it.
question-of-drive = { $drive }: { $says }
question-failing = A failing drive's figures do not answer this for a healthy one.
question-disturbed = The computer interfered (see below); judging by the undisturbed figures:
question-database-flushes = Whether flushed data survives was not tested: drivelab run verify { $target }
question-fake-file = This is a file on a drive: the capacity can be checked only on the whole device (drivelab devices).
question-games-other-failing = { $drive }: the other one is failing.
question-games-both-failing = Neither: both are failing.
question-reject-part = Only a part of the surface was read.
question-reject-surer = for more certainty: drivelab ask reject { $targets } --scale full
question-firmware-two-drives = These are two different drives, not one before and after: ask about one drive twice, or about two measurements of it.
question-shingled = Is it shingled (SMR)?
question-shingled-flash = This is flash: shingling does not apply.
question-shingled-not = It writes like a conventional disk (CMR).
question-shingled-signs = Small random writes are { $factor } times as fast as reads; sequential overwriting all over the surface reaches { $share } of the read rate.
question-shingled-signs-cached = Small random writes are { $factor } times as fast as reads; its cache took the overwrites, so their rate shows nothing.
question-shingled-cached = Its cache absorbed all writes of this run.
question-shingled-writes = Only writes can show it, and nothing was written.
question-shingled-unknown = Whether this is a disk or flash is not known.
question-shingled-surer = for more certainty: look the model number up in its maker's list of SMR disks, or drivelab run quick-scan { $target } --scale full
question-cache = How large is its fast cache, and what comes after it?
question-cache-surer = for more certainty: drivelab run slc-fill { $target } --scale full, on an empty drive and on one that is 80 % full
question-database = Does it stutter under a database?
question-database-surer = for more certainty: drivelab run latency-watch { $target } --set load=writes --scale full, on a full drive
question-games = Which of these two is better for games?
question-games-loads = { $drive }: a game of 2 GB loads in { $time }.
question-games-not-measured = { $drive }: how long a game loads was not measured.
question-games-faster = { $drive }: games load faster.
question-games-other-unfit = { $drive }: the other one is not fit for games.
question-games-alike = Either: they differ by less than a tenth, which is not noticeable.
question-rebuild = Can I trust it for a rebuild?
question-rebuild-read = All of it was read without an error or a stall.
question-rebuild-part = No error in what was read, but that is only a part: drivelab run full-scan { $target }
question-rebuild-surer = for more certainty: drivelab health { $target }, and a long self-test (smartctl -t long)
question-reject = Which of these drives do I reject?
question-reject-counts = Of { $drives } drives { $rejected } to reject, { $look } to look at.
question-reject-rejected = reject { $target }: { $why }
question-reject-look = look at { $target }: { $why }
question-fake = Is it a fake?
question-fake-not = All of the { $size } that it claims is there.
question-fake-unchecked = This target does not store data that could be checked.
question-fake-surer = for more certainty: drivelab run verify { $target }, which writes and reads back all of it
question-firmware = Did the firmware change anything?
question-firmware-first = This is the first measurement of this drive: update the firmware, and ask again.
question-firmware-too-few = Nothing could be compared.
question-firmware-same = None of the { $judged } figures of speed and of old data differs beyond chance; TRIM was not tested.
question-firmware-differs = { $differ } of { $judged } figures that could be compared differ beyond chance.
question-firmware-most = Largest change: { $figure }, { $factor } times its previous value.
question-firmware-surer = for more certainty: drivelab run latency-watch { $target } --repeat auto, before and after; drivelab compare
question-link = Is my slot or cable the limit?
question-link-own = It runs at its own link ({ $link }), which is not the bottleneck.
question-link-own-full = It runs at its own link ({ $link }) and saturates it: no other slot or cable makes it faster.
question-link-unknown = The system does not report the drive's link.

# A drive's health on the terminal: the names of what a drive reports.
health-told = health: { $condition }
health-row-model = model
health-row-serial = serial
health-row-firmware = firmware
health-row-read-by = read by
health-row-temperature = temperature
health-row-power-on-time = power-on time
health-row-power-cycles = power cycles
health-row-unsafe-shutdowns = unsafe shutdowns
health-row-host-read = host read
health-row-host-written = host written
health-row-flash-written = flash written
health-row-endurance-used = endurance used
health-row-mean-erases = mean erases
health-row-read-error-rate = read error rate
health-row-spare-left = spare left
health-row-reallocated = reallocated
health-row-uncorrectable = uncorrectable
health-row-media-errors = media errors
health-row-link-errors = link errors
health-row-logged-errors = logged errors
health-row-last-self-test = last self-test
health-row-failed-self-test = failed self-test
health-row-remark = remark
health-row-namespace = namespace
health-row-zones = zones
health-row-pending = pending
health-row-wwn = wwn

# Titles of the built-in plans, by name.
plan-title-840-evo-2013 = Samsung 840 EVO, as reviewed in 2013
plan-title-boot-2011 = Windows 7 boot from drives of 2011
plan-title-gen4-2022 = PCIe 4.0 compared with 3.0, as tested in 2022
plan-title-hg2-2009 = Toshiba HG2 and its rivals, as reviewed in 2009
plan-title-nas-disks-2016 = Five disks for network storage, as tested in 2016
plan-title-pts = SNIA solid state storage performance tests
plan-title-quick = Quick look
plan-title-review-hdd = Review of a hard disk
plan-title-review-ssd = Review of an SSD
plan-title-screen = Acceptance of a batch

## Gates
gate-met = met
gate-not-met = not met
gate-not-decided = not decided
gate-interval = {" "}({ $low } to { $high } { $unit }, { $percent } % interval)
gate-no-interval = {" "}(no interval: decided by this value; --repeat gives one)
gate-inside = : the limit is inside the interval; measure longer (--scale full) or more often (--repeat auto)
