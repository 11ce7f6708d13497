/** Transliteration table for slugs: letters with a customary ASCII spelling (docs/interface/streams.md#ids). */

const spelling = (pairs: string): [string, string][] =>
  pairs
    .trim()
    .split(/\s+/)
    .map((pair) => [pair.slice(0, 1), pair.slice(1)])

const bothCases = ([letter, ascii]: [string, string]): [string, string][] => [
  [letter, ascii],
  [letter.toUpperCase(), ascii.slice(0, 1).toUpperCase() + ascii.slice(1)],
]

/** Each word is a letter followed by its spelling. Letters with only an accent are not listed. */
const latin = spelling(`
  ßss ẞSS æae ÆAE œoe ŒOE øo ØO đd ĐD ðd ÐD þth ÞTh łl ŁL ħh ĦH ŧt ŦT ŋng ŊNg ıi ĸk
  əe ƏE ƒf ƑF ɓb ƁB ɗd ƊD ƙk ƘK ɛe ƐE ɔo ƆO`)

/** The soft sign has no spelling. Letters such as й are listed composed: the accent changes the sound. */
const cyrillic = spelling(`
  аa бb вv гg дd еe ёyo жzh зz иi йj кk лl мm нn оo пp рr сs тt уu фf хh цc чch шsh щshch ъu ыy ь эe юyu яya
  єye іi їyi ґg ђdj јj љlj њnj ћc џdz ѓgj ќkj ѕdz ўu`)

const greek = spelling('αa βb γg δd εe ζz ηi θth ιi κk λl μm νn ξx οo πp ρr ςs σs τt υy φf χch ψps ωo')

const table = new Map([...latin, ...[...cyrillic, ...greek].flatMap(bothCases)])

/** Replaces letters by their ASCII spelling where known, removes accents, and keeps all other characters. */
export function transliterate(text: string): string {
  let result = ''
  for (const letter of text.normalize('NFC')) result += letter < '\u0080' ? letter : spell(letter)
  return result
}

function spell(letter: string): string {
  const known = table.get(letter)
  if (known !== undefined) return known
  if (/\p{M}/u.test(letter)) return ''
  if (!/\p{L}/u.test(letter)) return letter
  const bare = letter.normalize('NFKD').replace(/\p{M}/gu, '')
  return [...bare].map((part) => table.get(part) ?? part).join('')
}
