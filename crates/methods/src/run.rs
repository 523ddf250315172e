//! A method that is its card and two functions, and a run of one under way.

use base::{
    Bench, Better, Bytes, Card, Duration, Fill, Forecast, Info, Io, Message, Method, MethodOutput,
    Op, Script, Settings, Span, Stopped, Workload,
};

use crate::areas::{ONE_PASS, grown, in_order};
use crate::figures::{Origin, withheld};
use crate::shared_settings::{extent, prepares};

/// A method that is its card and two functions: it reads no files, and writes to zoned drives as its card says.
pub(crate) struct PlainMethod {
    card: &'static Card,
    forecast: fn(&Settings, &Info) -> Forecast,
    perform: fn(&mut Run<'_>) -> Result<(), Stopped>,
}

impl PlainMethod {
    /// The method of a card, with its [`Method::forecast`] and what its [`Method::run`] does.
    pub(crate) const fn new(
        card: &'static Card,
        forecast: fn(&Settings, &Info) -> Forecast,
        perform: fn(&mut Run<'_>) -> Result<(), Stopped>,
    ) -> PlainMethod {
        PlainMethod {
            card,
            forecast,
            perform,
        }
    }
}

impl Method for PlainMethod {
    fn card(&self) -> &'static Card {
        self.card
    }

    fn forecast(&self, settings: &Settings, on: &Info) -> Forecast {
        (self.forecast)(settings, on)
    }

    fn run(&self, settings: &Settings, bench: &mut dyn Bench) -> Result<MethodOutput, Stopped> {
        let mut run = Run::new(settings, bench);
        (self.perform)(&mut run)?;
        Ok(run.output)
    }
}

/// A run under way: what was asked, where it is measured, and what is found by now.
pub(crate) struct Run<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) bench: &'a mut dyn Bench,
    /// The target.
    pub(crate) on: Info,
    pub(crate) output: MethodOutput,
}

impl<'a> Run<'a> {
    /// A run that has found nothing yet.
    pub(crate) fn new(settings: &'a Settings, bench: &'a mut dyn Bench) -> Run<'a> {
        Run {
            settings,
            on: bench.info(),
            bench,
            output: MethodOutput::default(),
        }
    }

    /// The part of the target that a setting gives: see [`extent`].
    pub(crate) fn extent(&self, key: &str) -> Span {
        Span::first(extent(self.settings, key, &self.on))
    }

    /// Writes a span once, in order, 1 MiB at a time, so that no read finds blocks that were never
    /// written.
    pub(crate) fn write_in_order(
        &mut self,
        name: &str,
        span: Span,
        fill: Fill,
    ) -> Result<(), Stopped> {
        self.write_at_depth(4, name, span, fill)
    }

    /// The same with this many writes in flight.
    pub(crate) fn write_at_depth(
        &mut self,
        depth: u32,
        name: &str,
        span: Span,
        fill: Fill,
    ) -> Result<(), Stopped> {
        let mut job = in_order(name, Op::Write, span, Bytes::mib(1), depth);
        job.fill = fill;
        let mut work = Workload::single(job, ONE_PASS, self.settings.seed);
        work.flush_at_end = true;
        self.bench.phase(name, &work)?;
        Ok(())
    }

    /// The same of the part in use, where [`prepares`] says so.
    pub(crate) fn prepare(&mut self, span: Span) -> Result<(), Stopped> {
        match prepares(self.settings, &self.on) {
            true => self.write_in_order("prepare", span, Fill::FRESH),
            false => Ok(()),
        }
    }

    /// Flushes what a phase has left in the drive's cache, in a separate phase: otherwise it is written back during the
    /// next one, whose figure would then include both.
    pub(crate) fn flush_after(&mut self, phase: &str) -> Result<(), Stopped> {
        let name = format!("flush after {phase}");
        let mut script = Script::new(&name, 1);
        script.io(Io::flush(), Duration::ZERO, &[]);
        self.bench.script(&name, &script)?;
        Ok(())
    }

    /// Trims a span, 64 MiB at a time.
    pub(crate) fn trim(&mut self, span: Span) -> Result<(), Stopped> {
        let job = in_order("trim", Op::Trim, span, Bytes::mib(64), 1);
        let work = Workload::single(job, ONE_PASS, self.settings.seed);
        self.bench.phase("trim", &work)?;
        Ok(())
    }

    /// Warns where I/Os of some of these sizes cannot be made: see [`grown`].
    pub(crate) fn tell_grown(&mut self, sizes: &[Bytes]) {
        self.output.warnings.extend(grown(sizes, &self.on));
    }

    /// Ends the run of a writing method on a read-only target: its main figure has no number.
    pub(crate) fn not_writable(
        &mut self,
        key: &str,
        unit: &str,
        better: Better,
    ) -> Result<(), Stopped> {
        self.without_number(key, unit, better, Message::of("why-not-writable"))
    }

    /// Ends a run with one figure that has no number, and why.
    pub(crate) fn without_number(
        &mut self,
        key: &str,
        unit: &str,
        better: Better,
        why: Message,
    ) -> Result<(), Stopped> {
        let figure = Origin::default().figure(key, unit, better);
        self.output = MethodOutput {
            figures: vec![withheld(figure, why)],
            ..MethodOutput::default()
        };
        Ok(())
    }
}
