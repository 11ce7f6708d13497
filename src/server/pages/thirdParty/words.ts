/** Words for signing in through third parties. */
import type { InLanguages } from '../../base/words.js'

interface ThirdPartyWords {
  by(label: string): string
  title: string
  elsewhere: string
  'sso-failed': string
  'email-not-verified': string
  'no-account': string
  back: string
}

export const thirdPartyWords: InLanguages<ThirdPartyWords> = {
  en: {
    by: (label) => `Sign in with ${label}`,
    title: 'You are not signed in',
    elsewhere: 'This was not begun in this browser, or too long ago. Begin again.',
    'sso-failed': 'The other site did not say who you are, or took too long. Try again, or use your password.',
    'email-not-verified': 'An account has your e-mail address, but has not proved yet that it is its own. Sign in with the password, and follow the link of the mail that proves it.',
    'no-account': 'No account here has the e-mail address that you have there. Create one first, or use your password.',
    back: 'Back to signing in',
  },
  fr: {
    by: (label) => `Se connecter avec ${label}`,
    title: 'Vous n’êtes pas connecté',
    elsewhere: 'Cette connexion n’a pas été commencée dans ce navigateur, ou il y a trop longtemps. Recommencez.',
    'sso-failed': 'L’autre site n’a pas dit qui vous êtes, ou a mis trop de temps. Réessayez, ou utilisez votre mot de passe.',
    'email-not-verified': 'Un compte a votre adresse e-mail, mais n’a pas encore prouvé qu’elle est la sienne. Connectez-vous avec le mot de passe et suivez le lien du message qui la prouve.',
    'no-account': 'Aucun compte n’a ici l’adresse e-mail que vous avez là-bas. Créez-en un d’abord, ou utilisez votre mot de passe.',
    back: 'Retour à la connexion',
  },
  de: {
    by: (label) => `Mit ${label} anmelden`,
    title: 'Sie sind nicht angemeldet',
    elsewhere: 'Diese Anmeldung wurde nicht in diesem Browser begonnen, oder vor zu langer Zeit. Beginnen Sie neu.',
    'sso-failed': 'Die andere Seite hat nicht gesagt, wer Sie sind, oder zu lange gebraucht. Versuchen Sie es noch einmal, oder nehmen Sie das Passwort.',
    'email-not-verified': 'Ein Konto hat Ihre E-Mail-Adresse, hat aber noch nicht bewiesen, dass sie die seine ist. Melden Sie sich mit dem Passwort an und folgen Sie dem Link der Nachricht, die das beweist.',
    'no-account': 'Kein Konto hat hier die E-Mail-Adresse, die Sie dort haben. Erstellen Sie zuerst eines, oder nehmen Sie das Passwort.',
    back: 'Zurück zur Anmeldung',
  },
}
