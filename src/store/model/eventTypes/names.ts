/**
 * Names and symbols of event types for the pickers of clients: `extras` and `classes` (docs/interface/event-types.md#directory).
 */

/** A name by language code. */
export type Localized = Readonly<Record<string, string>>

/** Entry of one type in `extras`. */
export interface FormatNames {
  name: Localized
  symbol?: string
}

/** Entry of one class in `classes`. */
export interface ClassNames {
  description: string
  extras: { name: Localized }
}

/**
 * Units by class: `format|English|French|symbol`, separated by `, `. A missing French name equals the English one,
 * a missing symbol is none.
 */
const units: Readonly<Record<string, string>> = {
  'absorbed-dose': 'gy|gray||Gy',
  'absorbed-dose-equivalent': 'sv|sievert||Sv',
  'absorbed-dose-rate': 'gy-s|gray per second|gray par seconde|Gy/s',
  angle: 'deg|degree|degré|°, grad|gradian|grade|gon, rad|radian||rad',
  'angular-acceleration': 'rad-s2|radian per second squared|radian par seconde carrée|rad/s²',
  'angular-speed': 'rad-s|radian per second|radian par seconde|rad/s',
  area:
    'ac|acre||ac, ft2|square foot|pied carré|ft², ha|hectare||ha, in2|square inch|pouce carré|in², ' +
    'km2|square kilometre|kilomètre carré|km², m2|square metre|mètre carré|m², ' +
    'mm2|square millimetre|millimètre carré|mm², yd2|square yard|yard carré|yd², mi2|square mile|mille carré|mi²',
  capacitance: 'f|farad||F',
  'catalytic-activity': 'kat|katal||kat',
  concentration:
    'mmol-l|millimole per litre|millimole par litre|mmol/L, ' +
    'iu-l|international unit per litre|unité internationale par litre|IU/L, ' +
    'g-dl|gram per decilitre|gramme par décilitre|g/dL, g-l|gram per litre|gramme par litre|g/L, ' +
    'mg-l|milligram per litre|milligramme par litre|mg/L, ug-l|microgram per litre|microgramme par litre|µg/L, ' +
    'mg-dl|milligram per decilitre|milligramme par décilitre|mg/dL',
  count: 'steps|steps|pas, generic|count|nombre',
  'data-quantity':
    'b|byte|octet|B, bits|bit||bit, gb|gigabyte|gigaoctet|GB, gbits|gigabit||Gbit, kb|kilobyte|kilooctet|kB, ' +
    'kbits|kilobit||kbit, mb|megabyte|mégaoctet|MB, mbits|megabit|mégabit|Mbit, tb|terabyte|téraoctet|TB',
  density:
    'kg-m3|kilogram per cubic metre|kilogramme par mètre cube|kg/m³, ' +
    'g-cm3|gram per cubic centimetre|gramme par centimètre cube|g/cm³, ' +
    'g-dl|gram per decilitre|gramme par décilitre|g/dL, ' +
    'mg-dl|milligram per decilitre|milligramme par décilitre|mg/dL, ' +
    'mmol-l|millimole per litre|millimole par litre|mmol/L',
  'dynamic-viscosity': 'pa-s|pascal second|pascal seconde|Pa·s',
  'electric-charge': 'c|coulomb||C',
  'electric-charge-line-density': 'c-m|coulomb per metre|coulomb par mètre|C/m',
  'electric-current': 'a|ampere|ampère|A',
  'electrical-conductivity': 's|siemens||S, us|microsiemens||µS',
  'electromotive-force': 'v|volt||V',
  energy:
    'btu|British thermal unit|unité thermique britannique|BTU, cal|calorie||cal, ev|electronvolt|électronvolt|eV, ' +
    'erg|erg||erg, ftlb|foot-pound|pied-livre|ft·lb, j|joule||J, kcal|kilocalorie||kcal, ' +
    'ws|watt second|watt-seconde|W·s, kwh|kilowatt hour|kilowatt-heure|kWh, nm|newton metre|newton-mètre|N·m, ' +
    'wh|watt hour|watt-heure|Wh',
  force: 'dyn|dyne||dyn, n|newton||N, pdl|poundal||pdl',
  frequency:
    'bpm|beats per minute|battements par minute|bpm, brpm|breaths per minute|respirations par minute|brpm, ' +
    'ghz|gigahertz||GHz, hz|hertz||Hz, khz|kilohertz||kHz, megahz|megahertz|mégahertz|MHz, ' +
    'millihz|millihertz||mHz, nhz|nanohertz||nHz, rpm|revolutions per minute|tours par minute|rpm, ' +
    'thz|terahertz|térahertz|THz, uhz|microhertz||µHz',
  'gas-consumption': 'mlpkgmin|millilitre per kilogram and minute|millilitre par kilogramme et minute|mL/kg/min',
  length:
    'cm|centimetre|centimètre|cm, m|metre|mètre|m, mm|millimetre|millimètre|mm, km|kilometre|kilomètre|km, ' +
    'a|angstrom|angström|Å, au|astronomical unit|unité astronomique|au, ch|chain|chaîne|ch, lea|league|lieue|lea, ' +
    'ft|foot|pied|ft, in|inch|pouce|in, ly|light-year|année-lumière|ly, mil|mil|millième de pouce|mil, ' +
    'mi|mile|mille|mi, fur|furlong||fur, nmi|nautical mile|mille marin|nmi, p|point||p, pica|pica||pc, ' +
    'ftm|fathom|brasse|ftm, cb|cable length|encablure|cb, um|micrometre|micromètre|µm, yd|yard||yd',
  'linear-acceleration': 'm-s2|metre per second squared|mètre par seconde carrée|m/s²',
  'luminous-intensity': 'cd|candela||cd',
  mass:
    'kg|kilogram|kilogramme|kg, g|gram|gramme|g, mg|milligram|milligramme|mg, gr|grain||gr, dr|dram|drachme|dr, ' +
    'l-t|long ton|tonne longue|l.t., lb|pound|livre|lb, t|tonne||t, oz|ounce|once|oz, ' +
    's-t|short ton|tonne courte|s.t., st|stone||st',
  mol: 'mol|mole||mol, lb-mol|pound-mole|livre-mole|lb-mol',
  power:
    'btu-min|British thermal unit per minute|unité thermique britannique par minute|BTU/min, ' +
    'ftlb-s|foot-pound per second|pied-livre par seconde|ft·lb/s, hp|horsepower|cheval-vapeur|hp, ' +
    'kw|kilowatt||kW, w|watt||W',
  pressure:
    'at|technical atmosphere|atmosphère technique|at, bar|bar||bar, ' +
    'mmhg|millimetre of mercury|millimètre de mercure|mmHg, cmhg|centimetre of mercury|centimètre de mercure|cmHg, ' +
    'inhg|inch of mercury|pouce de mercure|inHg, ' +
    'kg-m2|kilogram per square metre|kilogramme par mètre carré|kg/m², pa|pascal||Pa, kpa|kilopascal||kPa, ' +
    'psf|pound per square foot|livre par pied carré|psf, psi|pound per square inch|livre par pouce carré|psi, ' +
    'db|decibel|décibel|dB',
  ratio: 'percent|percent|pour cent|%, generic|ratio|rapport',
  speed:
    'ft-m|foot per minute|pied par minute|ft/min, ft-s|foot per second|pied par seconde|ft/s, ' +
    'km-h|kilometre per hour|kilomètre par heure|km/h, kt|knot|nœud|kt, m-min|metre per minute|mètre par minute|m/min, ' +
    'm-s|metre per second|mètre par seconde|m/s, mph|mile per hour|mille par heure|mph, ' +
    'lpm|litre per minute|litre par minute|L/min',
  temperature: 'c|degree Celsius|degré Celsius|°C, k|kelvin||K, f|degree Fahrenheit|degré Fahrenheit|°F',
  time: 'd|day|jour|d, h|hour|heure|h, min|minute||min, ms|millisecond|milliseconde|ms, s|second|seconde|s, y|year|année|y',
  volume:
    'l|litre||L, m3|cubic metre|mètre cube|m³, c|cup|tasse|c, cm3|cubic centimetre|centimètre cube|cm³, ' +
    'floz|fluid ounce|once liquide|fl oz, ft3|cubic foot|pied cube|ft³, ' +
    'galgb|imperial gallon|gallon impérial|gal (UK), galus|US gallon|gallon américain|gal (US), ' +
    'in3|cubic inch|pouce cube|in³, yd3|cubic yard|yard cube|yd³, ml|millilitre||mL, pt|pint|pinte|pt, ' +
    'qt|quart||qt, bbloil|oil barrel|baril de pétrole|bbl, tbs|tablespoon|cuillère à soupe|tbsp, ' +
    'tsp|teaspoon|cuillère à café|tsp, iu|international unit|unité internationale|IU',
}

/** French names of classes; the English ones come from the class id. */
const frenchClasses = `
  absorbed-dose=Dose absorbée; absorbed-dose-equivalent=Dose équivalente; absorbed-dose-rate=Débit de dose absorbée;
  activity=Activité; angle=Angle; angular-acceleration=Accélération angulaire; angular-speed=Vitesse angulaire;
  area=Surface; attributes=Attributs; audio=Audio; audiogram=Audiogramme; blood-pressure=Pression artérielle;
  boolean=Booléen; calendar=Calendrier; call=Appel; capacitance=Capacité électrique;
  catalytic-activity=Activité catalytique; clinical=Données cliniques; concentration=Concentration;
  consent=Consentement; contact=Contact; count=Comptage; credentials=Identifiants; data-quantity=Quantité de données;
  date=Date; density=Masse volumique; dynamic-viscosity=Viscosité dynamique; electric-charge=Charge électrique;
  electric-charge-line-density=Densité linéique de charge; electric-current=Courant électrique;
  electrical-conductivity=Conductivité électrique; electromotive-force=Force électromotrice; encrypted=Chiffré;
  energy=Énergie; file=Fichier; force=Force; frequency=Fréquence; gas-consumption=Consommation de gaz;
  length=Longueur; linear-acceleration=Accélération linéaire; log=Journal; luminous-intensity=Intensité lumineuse;
  mass=Masse; message=Message; mol=Quantité de matière; money=Monnaie; mood=Humeur; music=Musique; note=Note;
  notification=Notification; picture=Image; position=Position; power=Puissance; pressure=Pression; ratio=Rapport;
  reproductive-health=Santé reproductive; shared-secret=Secret partagé; sleep=Sommeil; speed=Vitesse;
  symptoms=Symptômes; temperature=Température; time=Temps; url=Adresse web; video=Vidéo; volume=Volume`

const currencySymbols: Readonly<Record<string, string>> = {
  btc: '₿',
  cny: 'CN¥',
  eur: '€',
  gbp: '£',
  inr: '₹',
  jpy: '¥',
  krw: '₩',
  usd: '$',
}

/** `ical-event` → `Ical event`. */
function humanized(id: string): string {
  const words = id.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Returns names and symbols by `class/format`, for formats with more than the format id. */
function unitNames(): Map<string, FormatNames> {
  const named = new Map<string, FormatNames>()
  for (const [className, entries] of Object.entries(units)) {
    for (const entry of entries.split(', ')) {
      const [format = '', en = '', fr, symbol] = entry.split('|')
      const name = { en, fr: fr || en }
      named.set(`${className}/${format}`, symbol ? { name, symbol } : { name })
    }
  }
  return named
}

/** Returns the `extras` of the given types: names, and symbols of units and currencies. */
export function formatNames(types: Iterable<string>): Record<string, FormatNames> {
  const named = unitNames()
  const entries = [...types].map((type): [string, { name: Localized; symbol?: string }] => {
    const [className = '', format = ''] = type.split('/')
    if (className === 'money') {
      const code = format.toUpperCase()
      return [type, { name: { en: code, fr: code }, symbol: currencySymbols[format] ?? code }]
    }
    const derived = humanized(format)
    return [type, named.get(type) ?? { name: { en: derived, fr: derived } }]
  })
  return Object.fromEntries(entries)
}

/** Returns the `classes` of the given types. */
export function classNames(
  types: Iterable<string>,
  isNumeric: (className: string) => boolean,
): Record<string, ClassNames> {
  const french = new Map(
    frenchClasses.split(';').map((entry): [string, string] => {
      const [id = '', name = ''] = entry.trim().split('=')
      return [id, name]
    }),
  )
  const ids = new Set([...types].map((type) => type.split('/')[0] ?? type))
  return Object.fromEntries(
    [...ids].map((id) => {
      const en = humanized(id)
      const description = isNumeric(id) ? `${en}: a number, in the unit that the format names.` : `${en}.`
      return [id, { description, extras: { name: { en, fr: french.get(id) ?? en } } }]
    }),
  )
}
