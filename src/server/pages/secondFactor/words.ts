/** Texts of the second step of a login. */
import type { InLanguages } from '../../base/words.js'

interface SecondFactorWords {
  title: string
  account: string
  byApp: string
  byPhone: string
  code: string
  button: string
  wrong: string
  again: string
  sent: string
  notSent: string
  lost: string
  otherAccount: string
  ended: string
  off: string
  gone: string
  recovery: {
    title: string
    explanation: string
    code: string
    hint: string
    password: string
    button: string
    back: string
    wrongCode: string
    wrongPassword: string
  }
}

export const secondFactorWords: InLanguages<SecondFactorWords> = {
  en: {
    title: 'Verify it is you',
    account: 'Account',
    byApp: 'Type the code that your authenticator app shows now.',
    byPhone: 'Type the code that was sent to your phone by text message.',
    code: 'Code',
    button: 'Continue',
    wrong: 'The code is wrong or was already used.',
    again: 'Send the code again',
    sent: 'A new code was sent. Earlier codes are no longer valid.',
    notSent: 'The text message could not be sent. Please try again later.',
    lost: 'I cannot get a code: use a recovery code',
    otherAccount: 'Sign in to another account',
    ended: 'This sign-in has expired, or too many codes were wrong. Please sign in again.',
    off: 'A second factor is no longer required. Please sign in again.',
    gone: 'This account no longer has a second factor. Please sign in again.',
    recovery: {
      title: 'Use a recovery code',
      explanation: 'A recovery code signs you in and removes the second factor from your account, with all other recovery codes. Set up a new one afterwards.',
      code: 'Recovery code',
      hint: 'One of the ten codes that you got when you set up the second factor.',
      password: 'Password',
      button: 'Remove the second factor and sign in',
      back: 'I have a code after all',
      wrongCode: 'The recovery code is wrong.',
      wrongPassword: 'The password is wrong.',
    },
  },
  fr: {
    title: 'Confirmez que c’est vous',
    account: 'Compte',
    byApp: 'Saisissez le code que votre application d’authentification affiche en ce moment.',
    byPhone: 'Saisissez le code qui a été envoyé par SMS à votre téléphone.',
    code: 'Code',
    button: 'Continuer',
    wrong: 'Le code est incorrect, ou a déjà été utilisé.',
    again: 'Renvoyer le code',
    sent: 'Un nouveau code a été envoyé. Les codes précédents ne sont plus valables.',
    notSent: 'Le SMS n’a pas pu être envoyé. Veuillez réessayer plus tard.',
    lost: 'Je ne peux pas obtenir de code : utiliser un code de secours',
    otherAccount: 'Se connecter à un autre compte',
    ended: 'Cette connexion a expiré, ou trop de codes étaient incorrects. Veuillez vous reconnecter.',
    off: 'Un second facteur n’est plus nécessaire. Veuillez vous reconnecter.',
    gone: 'Ce compte n’a plus de second facteur. Veuillez vous reconnecter.',
    recovery: {
      title: 'Utiliser un code de secours',
      explanation: 'Un code de secours vous connecte et retire le second facteur de votre compte, ainsi que tous les autres codes de secours. Configurez-en un nouveau ensuite.',
      code: 'Code de secours',
      hint: 'L’un des dix codes reçus lorsque vous avez configuré le second facteur.',
      password: 'Mot de passe',
      button: 'Retirer le second facteur et se connecter',
      back: 'J’ai finalement un code',
      wrongCode: 'Le code de secours est incorrect.',
      wrongPassword: 'Le mot de passe est incorrect.',
    },
  },
  de: {
    title: 'Bestätigen Sie, dass Sie es sind',
    account: 'Konto',
    byApp: 'Geben Sie den Code ein, den Ihre Authentifizierungs-App jetzt anzeigt.',
    byPhone: 'Geben Sie den Code ein, der Ihnen per SMS gesendet wurde.',
    code: 'Code',
    button: 'Weiter',
    wrong: 'Der Code ist falsch oder wurde schon verwendet.',
    again: 'Code erneut senden',
    sent: 'Ein neuer Code wurde gesendet. Frühere Codes gelten nicht mehr.',
    notSent: 'Die SMS konnte nicht gesendet werden. Bitte versuchen Sie es später erneut.',
    lost: 'Ich kann keinen Code bekommen: Wiederherstellungscode verwenden',
    otherAccount: 'Mit einem anderen Konto anmelden',
    ended: 'Diese Anmeldung ist abgelaufen, oder zu viele Codes waren falsch. Bitte melden Sie sich erneut an.',
    off: 'Es wird kein zweiter Faktor mehr verlangt. Bitte melden Sie sich erneut an.',
    gone: 'Dieses Konto hat keinen zweiten Faktor mehr. Bitte melden Sie sich erneut an.',
    recovery: {
      title: 'Wiederherstellungscode verwenden',
      explanation: 'Ein Wiederherstellungscode meldet Sie an und entfernt den zweiten Faktor samt allen anderen Wiederherstellungscodes von Ihrem Konto. Richten Sie danach einen neuen ein.',
      code: 'Wiederherstellungscode',
      hint: 'Einer der zehn Codes, die Sie beim Einrichten des zweiten Faktors erhalten haben.',
      password: 'Passwort',
      button: 'Zweiten Faktor entfernen und anmelden',
      back: 'Ich habe doch einen Code',
      wrongCode: 'Der Wiederherstellungscode ist falsch.',
      wrongPassword: 'Das Passwort ist falsch.',
    },
  },
}
