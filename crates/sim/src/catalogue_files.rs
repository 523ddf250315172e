//! The files of the catalogue: a drive, a family or a host is one file and one line here.

/// A file of the catalogue, compiled in.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name: maker-model-capacity in lower case.
    pub slug: &'static str,
    /// Its path in the repository.
    pub file: &'static str,
    /// Its text.
    pub(crate) text: &'static str,
}

macro_rules! entry {
    ($folder:literal, $slug:literal) => {
        Entry {
            slug: $slug,
            file: concat!("catalog/", $folder, "/", $slug, ".toml"),
            text: include_str!(concat!("../../../catalog/", $folder, "/", $slug, ".toml")),
        }
    };
}

/// Sections that can be switched on, with the values of a class.
pub(crate) static SECTIONS: Entry = Entry {
    slug: "sections",
    file: "catalog/sections.toml",
    text: include_str!("../../../catalog/sections.toml"),
};

/// The drives, in the order of lists.
pub static DRIVES: &[Entry] = &[
    entry!("drives", "samsung-840-evo-750gb"),
    entry!("drives", "samsung-840-evo-120gb"),
    entry!("drives", "samsung-840-evo-250gb"),
    entry!("drives", "samsung-840-evo-500gb"),
    entry!("drives", "samsung-840-evo-1tb"),
    entry!("drives", "samsung-840-120gb"),
    entry!("drives", "samsung-840-250gb"),
    entry!("drives", "samsung-840-500gb"),
    entry!("drives", "samsung-840-pro-128gb"),
    entry!("drives", "samsung-840-pro-256gb"),
    entry!("drives", "samsung-840-pro-512gb"),
    entry!("drives", "samsung-860-pro-512gb"),
    entry!("drives", "intel-d3-s4610-480gb"),
    entry!("drives", "crucial-mx200-250gb"),
    entry!("drives", "cfd-pg3nf2-1tb"),
    entry!("drives", "cfd-pg3vnd-1tb"),
    entry!("drives", "cfd-pg3vnd-2tb"),
    entry!("drives", "wd-black-sn770-1tb"),
    entry!("drives", "wd-black-sn770-2tb"),
    entry!("drives", "crucial-p5-1tb"),
    entry!("drives", "samsung-970-evo-plus-1tb"),
    entry!("drives", "samsung-970-evo-plus-2tb"),
    entry!("drives", "solidigm-670p-1tb"),
    entry!("drives", "solidigm-670p-2tb"),
    entry!("drives", "hgst-deskstar-nas-hdn724030-3tb"),
    entry!("drives", "seagate-ironwolf-pro-st18000ne000-18tb"),
    entry!("drives", "seagate-nas-st3000vn000-3tb"),
    entry!("drives", "seagate-enterprise-nas-st3000vn0001-3tb"),
    entry!("drives", "wd-red-wd30efrx-3tb"),
    entry!("drives", "wd-red-pro-wd3001ffsx-3tb"),
    entry!("drives", "hitachi-hds721616plat80-160gb"),
    entry!("drives", "hitachi-travelstar-7k100-100gb"),
    entry!("drives", "toshiba-hg2-64gb"),
    entry!("drives", "toshiba-hg2-128gb"),
    entry!("drives", "toshiba-hg2-512gb"),
    entry!("drives", "kingston-snv125-s2-30gb"),
    entry!("drives", "kingston-svp100s2-96gb"),
    entry!("drives", "ocz-core-v2-30gb"),
    entry!("drives", "ocz-apex-120gb"),
    entry!("drives", "ocz-vertex-30gb"),
    entry!("drives", "a-data-s592-32gb"),
    entry!("drives", "ocz-vertex-2-50gb"),
    entry!("drives", "intel-x25-m-g1-80gb"),
    entry!("drives", "intel-x25-m-g2-80gb"),
    entry!("drives", "samsung-mccoe64g5mpp-64gb"),
    entry!("drives", "cfd-cssd-sm64wj3-32gb"),
    entry!("drives", "crucial-c300-64gb"),
    entry!("drives", "plextor-m2s-128gb"),
    entry!("drives", "plextor-m2s-256gb"),
    entry!("drives", "acard-ans-9010-14gb"),
];

/// Drives known from little more than their data sheets: found by name like any other, never chosen as a neighbour, and
/// not part of the tests that run over every drive.
pub static SHEET_DRIVES: &[Entry] = &[
    entry!("drives", "samsung-pm883-480gb"),
    entry!("drives", "kingston-dc500m-480gb"),
    entry!("drives", "intel-d3-s4510-480gb"),
    entry!("drives", "samsung-pm863a-240gb"),
    entry!("drives", "samsung-860-evo-1tb"),
    entry!("drives", "wd-blue-3d-1tb"),
    entry!("drives", "intel-545s-512gb"),
    entry!("drives", "sandisk-ssd-plus-240gb"),
    entry!("drives", "crucial-bx200-240gb"),
    entry!("drives", "intel-750-400gb"),
    entry!("drives", "samsung-pm963-960gb"),
    entry!("drives", "samsung-970-pro-512gb"),
    entry!("drives", "samsung-pm981-512gb"),
    entry!("drives", "silicon-power-xd80-2tb"),
    entry!("drives", "silicon-power-p34a60-512gb"),
    entry!("drives", "toshiba-bg3-128gb"),
    entry!("drives", "wd-blue-sn580-1tb"),
    entry!("drives", "corsair-mp600-mini-1tb"),
    entry!("drives", "corsair-mp600-elite-2tb"),
    entry!("drives", "crucial-p1-1tb"),
    entry!("drives", "hp-fx700-2tb"),
    entry!("drives", "samsung-hd103uj-1tb"),
    entry!("drives", "samsung-hd502hj-500gb"),
    entry!("drives", "seagate-st3500418as-500gb"),
    entry!("drives", "wd-raptor-wd740gd-74gb"),
    entry!("drives", "seagate-archive-st8000as0002-8tb"),
    entry!("drives", "wd-red-wd40efax-4tb"),
    entry!("drives", "wd-ultrastar-dc-hc620-14tb"),
    entry!("drives", "wd-ultrastar-dc-hc620-15tb"),
    entry!("drives", "wd-ultrastar-dc-zn540-1tb"),
    entry!("drives", "samsung-pm1731a-4tb"),
    entry!("drives", "crucial-t700-2tb"),
    entry!("drives", "wd-black-sn8100-2tb"),
    entry!("drives", "wd-black-sn7100-1tb"),
    entry!("drives", "lexar-nm790-2tb"),
    entry!("drives", "solidigm-p41-plus-2tb"),
    entry!("drives", "crucial-p3-plus-2tb"),
    entry!("drives", "samsung-pm9a3-3840gb"),
    entry!("drives", "solidigm-d7-p5520-3840gb"),
    entry!("drives", "solidigm-d5-p5316-15360gb"),
    entry!("drives", "solidigm-d5-p5336-15360gb"),
    entry!("drives", "intel-optane-p4800x-375gb"),
    entry!("drives", "intel-optane-900p-280gb"),
    entry!("drives", "wd-ultrastar-dc-hc560-20tb"),
    entry!("drives", "seagate-exos-x20-20tb"),
    entry!("drives", "seagate-exos-x24-24tb"),
    entry!("drives", "seagate-exos-2x14-14tb"),
    entry!("drives", "seagate-exos-2x18-18tb"),
];

/// What drives of one family share: texts that a drive's file names, no drives themselves.
pub static FAMILIES: &[Entry] = &[
    entry!("families", "seagate-nas-2014"),
    entry!("families", "wd-red-2014"),
    entry!("families", "flat-mlc"),
    entry!("families", "toshiba-hg2"),
    entry!("families", "indilinx-barefoot"),
    entry!("families", "intel-x25-m"),
    entry!("families", "plextor-m2s"),
    entry!("families", "jmicron-jmf602b"),
    entry!("families", "samsung-840-evo"),
    entry!("families", "samsung-840"),
    entry!("families", "samsung-840-pro"),
    entry!("families", "cfd-phison-e16"),
    entry!("families", "cfd-pg3vnd"),
    entry!("families", "wd-black-sn770"),
    entry!("families", "samsung-970-evo-plus"),
    entry!("families", "solidigm-670p"),
];

/// The kinds of drives: what drives of a class have where nothing is known of the one.
pub static KINDS: &[Entry] = &[
    entry!("kinds", "ssd"),
    entry!("kinds", "sata-tlc"),
    entry!("kinds", "sata-no-dram"),
    entry!("kinds", "sata-tlc-planar"),
    entry!("kinds", "sata-plp"),
    entry!("kinds", "nvme-tlc"),
    entry!("kinds", "nvme-tlc-no-dram"),
    entry!("kinds", "nvme-tlc-pcie5"),
    entry!("kinds", "nvme-qlc"),
    entry!("kinds", "nvme-qlc-no-dram"),
    entry!("kinds", "nvme-plp"),
    entry!("kinds", "nvme-qlc-large-unit"),
    entry!("kinds", "disk-desktop"),
    entry!("kinds", "disk-10k"),
    entry!("kinds", "disk-mobile"),
    entry!("kinds", "disk-host-managed"),
    entry!("kinds", "nvme-zoned"),
    entry!("kinds", "xpoint"),
    entry!("kinds", "disk-nearline"),
    entry!("kinds", "disk-dual-actuator"),
];

/// The hosts.
pub static HOSTS: &[Entry] = &[
    entry!("hosts", "linux-uring"),
    entry!("hosts", "none"),
    entry!("hosts", "windows-xp-2009"),
    entry!("hosts", "windows-xp-ide"),
    entry!("hosts", "windows7-ahci"),
    entry!("hosts", "windows7-rst"),
    entry!("hosts", "windows11-nvme"),
    entry!("hosts", "linux-desktop"),
    entry!("hosts", "linux-server"),
    entry!("hosts", "linux-truenas"),
    entry!("hosts", "hba-m1015"),
    entry!("hosts", "microserver-g8-sata3g"),
    entry!("hosts", "microserver-g10-ahci"),
    entry!("hosts", "p420i"),
    entry!("hosts", "windows-desktop-ahci"),
    entry!("hosts", "windows-desktop-sata2"),
    entry!("hosts", "windows-desktop-nvme"),
    entry!("hosts", "hdt-201a"),
];
