/** Texts that all pages share. The texts of a page are in its own folder. */
import type { InLanguages } from '../base/words.js'

interface CommonWords {
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
  /** Text about the time until another message can be sent. */
  waitToSend(seconds: number): string
  moved: string
  showPassword: string
  hidePassword: string
}

/** Formats a duration in seconds (below two minutes) or minutes. */
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
    wrongForm: 'This form has expired, or your browser blocks cookies for this site. Allow cookies and try again.',
    notFoundTitle: 'Page not found',
    notFound: 'This page does not exist.',
    tooLarge: 'The data you sent is too large.',
    unexpected: 'Something went wrong on our side. Nothing was changed; please try again.',
    wait: (seconds) => `Too many attempts. Try again in ${span(seconds, ['second', 'seconds'], ['minute', 'minutes'])}.`,
    waitToSend: (seconds) =>
      `A message was already sent. You can request another one in ${span(seconds, ['second', 'seconds'], ['minute', 'minutes'])}.`,
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
      'Ce formulaire a expiré, ou votre navigateur bloque les cookies de ce site. Autorisez les cookies et réessayez.',
    notFoundTitle: 'Page introuvable',
    notFound: 'Cette page n’existe pas.',
    tooLarge: 'Les données envoyées sont trop volumineuses.',
    unexpected: 'Une erreur est survenue de notre côté. Rien n’a été modifié ; veuillez réessayer.',
    wait: (seconds) => `Trop de tentatives. Réessayez dans ${span(seconds, ['seconde', 'secondes'], ['minute', 'minutes'])}.`,
    waitToSend: (seconds) =>
      `Un message a déjà été envoyé. Vous pourrez en demander un autre dans ${span(seconds, ['seconde', 'secondes'], ['minute', 'minutes'])}.`,
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
      'Dieses Formular ist abgelaufen, oder Ihr Browser blockiert Cookies dieser Seite. Erlauben Sie Cookies und versuchen Sie es erneut.',
    notFoundTitle: 'Seite nicht gefunden',
    notFound: 'Diese Seite gibt es nicht.',
    tooLarge: 'Die gesendeten Daten sind zu gross.',
    unexpected: 'Bei uns ist etwas schiefgegangen. Es wurde nichts geändert; bitte versuchen Sie es erneut.',
    wait: (seconds) => `Zu viele Versuche. Versuchen Sie es in ${span(seconds, ['Sekunde', 'Sekunden'], ['Minute', 'Minuten'])} erneut.`,
    waitToSend: (seconds) =>
      `Eine Nachricht wurde schon gesendet. In ${span(seconds, ['Sekunde', 'Sekunden'], ['Minute', 'Minuten'])} können Sie eine weitere anfordern.`,
    moved: 'Dieses Konto ist umgezogen. Seine neue Adresse ist',
    showPassword: 'Passwort zeigen',
    hidePassword: 'Passwort verbergen',
  },
}

/** Names of the languages, each in its own language. */
export const languageNames: InLanguages<string> = { en: 'English', fr: 'Français', de: 'Deutsch' }
