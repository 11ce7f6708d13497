/** Selections of event types, for the pickers of clients (docs/interface/event-types.md#directory). */
import { numericFormats } from './table.js'
import type { Localized } from './names.js'

export interface TypeSet {
  name: Localized
  description: string
  types: Record<string, string[]>
}

const metric: Readonly<Record<string, string>> = {
  length: 'mm cm m km',
  mass: 'mg g kg t',
  temperature: 'c',
  volume: 'ml l m3',
}

const imperial: Readonly<Record<string, string>> = {
  length: 'in ft yd mi',
  mass: 'oz lb st l-t',
  temperature: 'c f',
  volume: 'floz pt qt galgb',
}

const us: Readonly<Record<string, string>> = {
  length: 'in ft yd mi',
  mass: 'oz lb s-t',
  temperature: 'f',
  volume: 'tsp tbs floz c pt qt galus',
}

/** Quantities with the same units everywhere. */
const common: Readonly<Record<string, string>> = {
  angle: 'deg rad',
  count: 'generic',
  ratio: 'percent',
  time: 's min h d',
}

const members: [id: string, name: Localized, description: string, types: Readonly<Record<string, string>>][] = [
  [
    'basic-measurements-metric',
    { en: 'Basic measurements, metric', fr: 'Mesures de base, métriques' },
    'Everyday lengths, masses, volumes and temperatures in metric units.',
    metric,
  ],
  [
    'generic-measurements-metric',
    { en: 'Measurements, metric', fr: 'Mesures, métriques' },
    'Common measurements in metric units.',
    {
      ...metric,
      ...common,
      area: 'm2 ha km2',
      energy: 'j kcal kwh',
      force: 'n',
      frequency: 'hz bpm',
      power: 'w kw',
      pressure: 'pa kpa bar mmhg',
      speed: 'm-s km-h',
      density: 'kg-m3 g-cm3',
    },
  ],
  [
    'basic-measurements-imperial',
    { en: 'Basic measurements, imperial', fr: 'Mesures de base, impériales' },
    'Everyday lengths, masses, volumes and temperatures in imperial units.',
    imperial,
  ],
  [
    'generic-measurements-imperial',
    { en: 'Measurements, imperial', fr: 'Mesures, impériales' },
    'Common measurements in imperial units.',
    {
      ...imperial,
      ...common,
      area: 'in2 ft2 yd2 ac mi2',
      energy: 'cal btu ftlb',
      force: 'pdl',
      power: 'hp',
      pressure: 'psi inhg',
      speed: 'ft-s mph',
    },
  ],
  [
    'basic-measurements-us',
    { en: 'Basic measurements, US', fr: 'Mesures de base, américaines' },
    'Everyday lengths, masses, volumes and temperatures in US customary units.',
    us,
  ],
  [
    'generic-measurements-us',
    { en: 'Measurements, US', fr: 'Mesures, américaines' },
    'Common measurements in US customary units.',
    {
      ...us,
      ...common,
      area: 'in2 ft2 yd2 ac mi2',
      energy: 'cal btu ftlb',
      force: 'pdl',
      power: 'hp btu-min',
      pressure: 'psi inhg',
      speed: 'ft-s mph',
    },
  ],
  [
    'money-most-used',
    { en: 'Money, most used', fr: 'Monnaies les plus utilisées' },
    'The most traded currencies.',
    { money: 'usd eur jpy gbp cny aud cad chf hkd sgd' },
  ],
  [
    'money-europe',
    { en: 'Money, Europe', fr: 'Monnaies, Europe' },
    'Currencies of Europe.',
    { money: 'eur gbp chf sek nok dkk isk pln czk huf ron bgn hrk rsd bam mkd all mdl uah rub try gip ggp imp jep fkp' },
  ],
  [
    'money-america',
    { en: 'Money, America', fr: 'Monnaies, Amérique' },
    'Currencies of the Americas.',
    {
      money:
        'usd cad mxn brl ars clp cop pen uyu bob pyg vef crc gtq hnl nio pab dop cup jmd ttd bsd bbd bzd bmd kyd awg ' +
        'ang xcd gyd srd svc',
    },
  ],
  [
    'money-asia',
    { en: 'Money, Asia', fr: 'Monnaies, Asie' },
    'Currencies of Asia.',
    { money: 'jpy cny hkd krw kpw inr pkr lkr npr sgd myr thb vnd php khr lak mnt kzt uzs afn azn' },
  ],
  [
    'money-africa',
    { en: 'Money, Africa', fr: 'Monnaies, Afrique' },
    'Currencies of Africa.',
    { money: 'zar egp ngn kes ghc mad tnd dzd tzs ugx zmk bwp nad mur scr sll mzn lrd sos shp zwd' },
  ],
  [
    'money-indonesia-australia',
    { en: 'Money, Indonesia and Australia', fr: 'Monnaies, Indonésie et Australie' },
    'Currencies of Indonesia, Australia and the Pacific.',
    { money: 'idr aud nzd pgk fjd sbd tvd' },
  ],
  [
    'money-middleeast',
    { en: 'Money, Middle East', fr: 'Monnaies, Moyen-Orient' },
    'Currencies of the Middle East.',
    { money: 'aed bhd ils irr jod kwd lbp omr qar sar syp yer try egp' },
  ],
  [
    'generic-medical',
    { en: 'Medical', fr: 'Médical' },
    'Measurements and observations about health.',
    {
      'blood-pressure': 'mmhg-bpm',
      concentration: 'mmol-l mg-dl g-l ug-l iu-l',
      frequency: 'bpm brpm',
      mass: 'kg g mg',
      length: 'cm m',
      temperature: 'c f',
      pressure: 'mmhg',
      volume: 'ml l iu',
      'gas-consumption': 'mlpkgmin',
      ratio: 'percent',
      sleep: 'analysis',
      mood: 'rating',
      symptoms: 'severity appetite-changes',
      audiogram: 'data',
      clinical: 'fhir',
    },
  ],
  [
    'navigation',
    { en: 'Navigation', fr: 'Navigation' },
    'Positions, distances, bearings and speeds.',
    { position: 'wgs84', length: 'm km nmi mi ftm cb', speed: 'kt km-h m-s mph', angle: 'deg' },
  ],
  [
    'all-measures',
    { en: 'All measures', fr: 'Toutes les mesures' },
    'Every quantity with a unit.',
    Object.fromEntries(Object.entries(numericFormats).filter(([className]) => className !== 'money')),
  ],
]

/** Returns the `sets` of the built-in directory. */
export function typeSets(): Record<string, TypeSet> {
  return Object.fromEntries(
    members.map(([id, name, description, types]) => [
      id,
      {
        name,
        description,
        types: Object.fromEntries(
          Object.entries(types).map(([className, formats]) => [className, formats.split(' ')]),
        ),
      },
    ]),
  )
}
