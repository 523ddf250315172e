//! The third step of a run: the method on its bench, as often as requested.

use base::state::Written;
use base::{Duration, Forecast, Interrupt, Message, MethodOutput, OnModels, PhaseRecord, Stopped};
use results::Repeats;

use super::begun::{Begun, Opener};
use crate::error::LabError;
use crate::how_long;
use crate::inputs::InputFiles;
use crate::lab_bench::{KeptPhases, LabBench, Shown, UnderTest};
use crate::made_again::MadeAgain;
use crate::progress::Progress;
use crate::recording::Recorder;
use crate::repeating;
use targets::DriveClass;
use targets::grammar::Spec;

/// What came of it.
pub(super) struct Measured {
    pub(super) phases: Vec<PhaseRecord>,
    /// What the method made of them, or why it did not come to its end.
    pub(super) ended: Result<(MethodOutput, Option<Repeats>), Stopped>,
    /// What the method had found when it was stopped, where it says so.
    pub(super) so_far: MethodOutput,
    /// Messages about the trace that was written.
    pub(super) recorded: Result<Vec<Message>, LabError>,
}

impl Begun<'_> {
    pub(super) fn measure(
        &mut self,
        progress: &mut dyn Progress,
        interrupt: &Interrupt,
    ) -> Result<Measured, LabError> {
        let spec: Spec = self.request.target.parse()?;
        let (rule, seed) = (self.request.repeat, self.request.seed);
        let opener = Opener::of(&self.request, interrupt);
        let forecast = &self.forecast;
        let make = |spec: &Spec, seed| opener.again(spec, seed, forecast, false);
        let around = &self.around;
        let renew = |seed| {
            // A drive that is carried over is the same one in every repeat, too.
            if around.is_carried {
                return Ok(None);
            }
            let again = opener.again(&spec, seed, forecast, around.is_written_over)?;
            Ok(Some(again.drive))
        };
        let card = self.method.card();
        let on = UnderTest {
            drive: &mut self.drive,
            info: self.info,
            unwritten: self.unwritten,
            seed,
            file_systems: around.file_systems.clone(),
            made_again: MadeAgain {
                spec: spec.clone(),
                written: match around.is_written_over {
                    true => Written::InOrder(100),
                    false => Written::Fresh,
                },
                make: around.is_a_model.then_some(&make),
            },
            presence: around.presence.clone(),
            is_file: self.record.identity.contains_key("file system"),
            asks_model: card.on_models != OnModels::Same,
        };
        // What a resume would measure again is in the result alone.
        let store = self.row.run.as_ref().filter(|_| self.row.resumable);
        let kept = KeptPhases::new(store, std::mem::take(&mut self.row.stored));
        let shown = Shown {
            progress,
            interrupt: interrupt.clone(),
            target: &self.record.title,
            method: [card.title, card.title_ja()],
            expected: rule.time(expected(forecast, around.class)),
            spent: Duration::ZERO,
        };
        let inputs = InputFiles(self.settings.inputs.clone());
        let mut bench = LabBench::new(on, kept, shown, (&mut self.health, inputs));
        bench.recorder = self.recorder.take();
        let ended = repeating::run(self.method, &self.settings, rule, &mut bench, &renew);
        let recorded = bench.recorder.take().map(Recorder::end).transpose();
        Ok(Measured {
            phases: std::mem::take(&mut bench.kept.phases),
            so_far: std::mem::take(&mut bench.kept.so_far),
            ended,
            recorded: recorded.map(|said| said.into_iter().flatten().collect()),
        })
    }
}

/// How long the run will take, where most of that is known.
fn expected(forecast: &Forecast, class: DriveClass) -> Option<Duration> {
    let seconds = how_long::of_forecast(forecast, class).seconds;
    let known = forecast.takes.known().as_secs_f64();
    (seconds > 0.0 && known >= 0.5 * seconds).then(|| Duration::from_secs_f64(seconds))
}
