import type { InLanguages } from '../../words.js'

interface NewPasswordWords {
  password: string
  again: string
  /** What a password must be: so many characters, of so many kinds; up to one kind is no rule. */
  rule(least: number, kinds: number): string
  weak: string
  tooLong(most: number): string
  different: string
}

export const newPasswordWords: InLanguages<NewPasswordWords> = {
  en: {
    password: 'Choose a password',
    again: 'Repeat the password',
    rule: (least, kinds) =>
      `At least ${least} characters${kinds < 2 ? '' : `, with ${kinds} of these: lower case, upper case, digits, others`}.`,
    weak: 'The password does not meet the rules.',
    tooLong: (most) => `The password has more than ${most} characters.`,
    different: 'The two passwords differ.',
  },
  fr: {
    password: 'Choisissez un mot de passe',
    again: 'Répétez le mot de passe',
    rule: (least, kinds) =>
      `Au moins ${least} caractères${kinds < 2 ? '' : `, dont ${kinds} de ces sortes : minuscules, majuscules, chiffres, autres`}.`,
    weak: 'Le mot de passe ne respecte pas les règles.',
    tooLong: (most) => `Le mot de passe a plus de ${most} caractères.`,
    different: 'Les deux mots de passe sont différents.',
  },
  de: {
    password: 'Passwort wählen',
    again: 'Passwort wiederholen',
    rule: (least, kinds) =>
      `Mindestens ${least} Zeichen${kinds < 2 ? '' : `, davon ${kinds} dieser Arten: Kleinbuchstaben, Grossbuchstaben, Ziffern, andere`}.`,
    weak: 'Das Passwort erfüllt die Regeln nicht.',
    tooLong: (most) => `Das Passwort hat mehr als ${most} Zeichen.`,
    different: 'Die beiden Passwörter sind verschieden.',
  },
}
