//! A sweep over the catalogue's drives: order, effects, errors.

use std::sync::atomic::Ordering;

use super::*;

const EVO: &str = "model:samsung-840-evo-750gb";

fn request(target: &str, vary: &[&str], set: &[&str]) -> SweepRequest {
    let owned = |texts: &[&str]| texts.iter().map(|t| (*t).to_owned()).collect();
    SweepRequest {
        method: "crystaldiskmark".to_owned(),
        target: target.to_owned(),
        vary: owned(vary),
        figures: Vec::new(),
        set: owned(set),
        scale: Scale::Quick,
        seed: 1,
        jobs: 2,
    }
}

fn swept(request: &SweepRequest) -> Sweep {
    sweep(request, &Interrupt::new(), &|_, _| ()).unwrap_or_else(|e| panic!("{e}"))
}

fn refused(request: &SweepRequest) -> String {
    let error = sweep(request, &Interrupt::new(), &|_, _| ()).unwrap_err();
    let text = error.to_string();
    assert!(!text.contains('\n'), "{text}");
    text
}

#[test]
fn points_stand_in_the_order_of_the_grid_and_are_the_same_on_any_number_of_threads() {
    let mut request = request(
        EVO,
        &["link=sata-1.5,sata-3,sata-6", "state=fresh,full-in-order"],
        &[],
    );
    let two = swept(&request);
    request.jobs = 1;
    assert_eq!(two, swept(&request));
    let values: Vec<String> = two.points.iter().map(|p| p.values.join(" ")).collect();
    assert_eq!(values[1], "sata-1.5 full-in-order");
    assert_eq!(values[4], "sata-6 fresh");
    assert!(!two.figures.is_empty() && two.figures.len() <= USUAL_FIGURES);
    let reading = |point: usize| two.points[point].figures[0].unwrap();
    assert!(reading(5) > 1.8 * reading(3) && reading(3) > 1.8 * reading(1));
}

#[test]
fn options_of_layers_and_settings_of_methods_can_be_varied_too() {
    let both = format!("raid0({EVO},{EVO})");
    let of_stripes = swept(&request(&both, &["stripe=64KiB,128KiB"], &[]));
    assert_eq!(of_stripes.points.len(), 2);
    assert!(
        of_stripes
            .points
            .iter()
            .all(|point| point.why_not.is_none())
    );
    let card = methods::find("crystaldiskmark").unwrap().card();
    let seconds = card.settings.iter().find(|s| s.key == "size");
    assert!(seconds.is_some(), "the setting that this test varies");
    let of_sizes = swept(&request(EVO, &["size=64MiB,128MiB"], &[]));
    assert_eq!(of_sizes.axes[0].key, "size");
}

#[test]
fn a_combination_that_is_no_drive_is_a_point_with_a_reason() {
    let sweep = swept(&request(EVO, &["ssd.slc.size_gb=200,9"], &[]));
    let why = sweep.points[0].why_not.clone().unwrap_or_default();
    assert!(!why.is_empty(), "{why}");
    assert!(sweep.points[1].figures[0].is_some());
}

#[test]
fn what_cannot_be_swept_is_refused_before_anything_runs() {
    let says = |vary: &str, part: &str| {
        let text = refused(&request(EVO, &["state=fresh", vary], &[]));
        assert!(text.contains(part), "{vary}: {text}");
    };
    says("ssd.nand.dice=8,16", "did you mean ssd.nand.dies");
    says("ssd.nand.channels=8,8000", "8000");
    says("lnik=sata-3", "did you mean link");
    says("link=sata-3,sata-9", "sata-9");
    says("hots=none", "did you mean host");
    says("host=nowhere", "nowhere");
    says("state=fresh", "twice");
    let real = refused(&request(".", &["state=fresh"], &[]));
    assert!(real.contains("modelled"), "{real}");
    let figure = SweepRequest {
        figures: vec!["seq1m-q8t1.raed".to_owned()],
        ..request(EVO, &["link=sata-3"], &[])
    };
    assert!(refused(&figure).contains("did you mean seq1m-q8t1.read"));
}

#[test]
fn an_interrupt_ends_it() {
    let interrupt = Interrupt::new();
    interrupt.flag().store(true, Ordering::Relaxed);
    let ended = sweep(&request(EVO, &["link=sata-3"], &[]), &interrupt, &|_, _| ());
    assert_eq!(ended.unwrap_err().exit(), base::exit::Exit::Interrupted);
}
