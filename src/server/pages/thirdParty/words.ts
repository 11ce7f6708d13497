/** Texts of third-party logins. */
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
    elsewhere: 'This sign-in was started in another browser, or has expired. Start again.',
    'sso-failed': 'The other site did not confirm who you are, or took too long. Try again, or use your password.',
    'email-not-verified': 'An account has your e-mail address, but the address is not confirmed yet. Sign in with the password, then open the link in the confirmation mail.',
    'no-account': 'There is no account here with your e-mail address of that site. Create one first, or use your password.',
    back: 'Back to sign-in',
  },
  fr: {
    by: (label) => `Se connecter avec ${label}`,
    title: 'Vous n’êtes pas connecté',
    elsewhere: 'Cette connexion a été commencée dans un autre navigateur, ou a expiré. Recommencez.',
    'sso-failed': 'L’autre site n’a pas confirmé votre identité, ou a mis trop de temps. Réessayez, ou utilisez votre mot de passe.',
    'email-not-verified': 'Un compte a votre adresse e-mail, mais l’adresse n’est pas encore confirmée. Connectez-vous avec le mot de passe, puis ouvrez le lien de l’e-mail de confirmation.',
    'no-account': 'Il n’y a pas ici de compte avec votre adresse e-mail de ce site. Créez-en un d’abord, ou utilisez votre mot de passe.',
    back: 'Retour à la connexion',
  },
  de: {
    by: (label) => `Mit ${label} anmelden`,
    title: 'Sie sind nicht angemeldet',
    elsewhere: 'Diese Anmeldung wurde in einem anderen Browser begonnen oder ist abgelaufen. Beginnen Sie noch einmal.',
    'sso-failed': 'Die andere Seite hat Ihre Identität nicht bestätigt oder zu lange gebraucht. Versuchen Sie es noch einmal, oder nehmen Sie das Passwort.',
    'email-not-verified': 'Ein Konto hat Ihre E-Mail-Adresse, aber die Adresse ist noch nicht bestätigt. Melden Sie sich mit dem Passwort an und öffnen Sie den Link in der Bestätigungs-E-Mail.',
    'no-account': 'Es gibt hier kein Konto mit Ihrer E-Mail-Adresse jener Seite. Erstellen Sie zuerst eines, oder nehmen Sie das Passwort.',
    back: 'Zurück zur Anmeldung',
  },
}
