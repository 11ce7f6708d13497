import type { InLanguages } from '../../base/words.js'

interface NewPasswordWords {
  password: string
  again: string
  /** Password rules: minimum length, and the number of character classes; no class rule for up to one. */
  rule(min: number, kinds: number): string
  weak: string
  tooLong(max: number): string
  different: string
}

export const newPasswordWords: InLanguages<NewPasswordWords> = {
  en: {
    password: 'Choose a password',
    again: 'Repeat the password',
    rule: (min, kinds) =>
      `At least ${min} characters${kinds < 2 ? '' : `, with ${kinds} of these: lower case, upper case, digits, others`}.`,
    weak: 'The password does not meet the rules.',
    tooLong: (max) => `The password has more than ${max} characters.`,
    different: 'The two passwords differ.',
  },
  fr: {
    password: 'Choisissez un mot de passe',
    again: 'Répétez le mot de passe',
    rule: (min, kinds) =>
      `Au moins ${min} caractères${kinds < 2 ? '' : `, dont ${kinds} de ces sortes : minuscules, majuscules, chiffres, autres`}.`,
    weak: 'Le mot de passe ne respecte pas les règles.',
    tooLong: (max) => `Le mot de passe a plus de ${max} caractères.`,
    different: 'Les deux mots de passe sont différents.',
  },
  de: {
    password: 'Passwort wählen',
    again: 'Passwort wiederholen',
    rule: (min, kinds) =>
      `Mindestens ${min} Zeichen${kinds < 2 ? '' : `, davon ${kinds} dieser Arten: Kleinbuchstaben, Grossbuchstaben, Ziffern, andere`}.`,
    weak: 'Das Passwort erfüllt die Regeln nicht.',
    tooLong: (max) => `Das Passwort hat mehr als ${max} Zeichen.`,
    different: 'Die beiden Passwörter sind verschieden.',
  },
}
