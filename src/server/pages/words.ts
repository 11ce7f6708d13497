/** Words that all pages share. Each page has those of its own beside it. */
import type { InLanguages } from '../base/words.js'

export interface CommonWords {
  signIn: string
  signOut: string
  signedInAs: string
  language: string
  close: string
  back: string
  problem: string
  wrongForm: string
  notFoundTitle: string
  notFound: string
  tooLarge: string
  unexpected: string
  wait(seconds: number): string
  /** When another text message can be sent. */
  waitToSend(seconds: number): string
  moved: string
  showPassword: string
  hidePassword: string
}

/** A time to wait, in the largest unit that says it well. */
const span = (seconds: number, [second, seconds_]: [string, string], [minute, minutes]: [string, string]): string => {
  if (seconds < 120) return `${seconds} ${seconds === 1 ? second : seconds_}`
  const whole = Math.ceil(seconds / 60)
  return `${whole} ${whole === 1 ? minute : minutes}`
}

export const commonWords: InLanguages<CommonWords> = {
  en: {
    signIn: 'Sign in',
    signOut: 'Sign out',
    signedInAs: 'Signed in as',
    language: 'Language',
    close: 'You can close this window.',
    back: 'Back',
    problem: 'There is a problem',
    wrongForm: 'This form is no longer valid, or your browser keeps no cookies for this site. Allow cookies and try again.',
    notFoundTitle: 'Page not found',
    notFound: 'There is no page at this address.',
    tooLarge: 'What was sent is too large.',
    unexpected: 'Something went wrong on our side. Nothing was changed; please try again.',
    wait: (seconds) => `Too many attempts. Try again in ${span(seconds, ['second', 'seconds'], ['minute', 'minutes'])}.`,
    waitToSend: (seconds) =>
      `A message was sent already. Another one can be sent in ${span(seconds, ['second', 'seconds'], ['minute', 'minutes'])}.`,
    moved: 'This account has moved. Its new address is',
    showPassword: 'Show password',
    hidePassword: 'Hide password',
  },
  fr: {
    signIn: 'Se connecter',
    signOut: 'Se déconnecter',
    signedInAs: 'Connecté en tant que',
    language: 'Langue',
    close: 'Vous pouvez fermer cette fenêtre.',
    back: 'Retour',
    problem: 'Il y a un problème',
    wrongForm:
      'Ce formulaire n’est plus valable, ou votre navigateur n’accepte pas les cookies de ce site. Acceptez-les et réessayez.',
    notFoundTitle: 'Page introuvable',
    notFound: 'Il n’y a pas de page à cette adresse.',
    tooLarge: 'Les données envoyées sont trop volumineuses.',
    unexpected: 'Une erreur est survenue de notre côté. Rien n’a été modifié ; veuillez réessayer.',
    wait: (seconds) => `Trop de tentatives. Réessayez dans ${span(seconds, ['seconde', 'secondes'], ['minute', 'minutes'])}.`,
    waitToSend: (seconds) =>
      `Un message a déjà été envoyé. Un autre peut l’être dans ${span(seconds, ['seconde', 'secondes'], ['minute', 'minutes'])}.`,
    moved: 'Ce compte a déménagé. Sa nouvelle adresse est',
    showPassword: 'Afficher le mot de passe',
    hidePassword: 'Masquer le mot de passe',
  },
  de: {
    signIn: 'Anmelden',
    signOut: 'Abmelden',
    signedInAs: 'Angemeldet als',
    language: 'Sprache',
    close: 'Sie können dieses Fenster schliessen.',
    back: 'Zurück',
    problem: 'Es gibt ein Problem',
    wrongForm:
      'Dieses Formular ist nicht mehr gültig, oder Ihr Browser nimmt keine Cookies dieser Seite an. Erlauben Sie Cookies und versuchen Sie es erneut.',
    notFoundTitle: 'Seite nicht gefunden',
    notFound: 'Unter dieser Adresse gibt es keine Seite.',
    tooLarge: 'Die gesendeten Daten sind zu gross.',
    unexpected: 'Bei uns ist etwas schiefgegangen. Es wurde nichts geändert; bitte versuchen Sie es erneut.',
    wait: (seconds) => `Zu viele Versuche. Versuchen Sie es in ${span(seconds, ['Sekunde', 'Sekunden'], ['Minute', 'Minuten'])} erneut.`,
    waitToSend: (seconds) =>
      `Eine Nachricht wurde schon gesendet. Eine weitere kann in ${span(seconds, ['Sekunde', 'Sekunden'], ['Minute', 'Minuten'])} gesendet werden.`,
    moved: 'Dieses Konto ist umgezogen. Seine neue Adresse ist',
    showPassword: 'Passwort zeigen',
    hidePassword: 'Passwort verbergen',
  },
}

/** Names of languages, each in itself. */
export const languageNames: InLanguages<string> = { en: 'English', fr: 'Français', de: 'Deutsch' }
