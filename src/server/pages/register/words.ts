import type { InLanguages } from '../../base/words.js'

interface RegisterWords {
  title: string
  username: string
  usernameRule: string
  usernameFree: string
  usernameTaken: string
  usernameOdd: string
  email: string
  emailWhy: string
  emailOptional: string
  emailTaken: string
  emailOdd: string
  invitation: string
  invitationWhy: string
  invitationWrong: string
  /** Around the link to the terms. */
  terms: [before: string, link: string, after: string]
  termsText: string
  termsMissing: string
  missing(label: string): string
  taken(label: string): string
  button: string
  haveOne: string
  addressFirst: string
  sendCode: string
  mailFailed: string
  codeSent: string
  code: string
  codeHint(minutes: number): string
  checkCode: string
  wrongCode(left: number): string
  overCode: string
  spentCode: string
  sendAgain: string
  sentLately(seconds: number): string
  otherAddress: string
  proved: string
  proofOver: string
}

export const registerWords: InLanguages<RegisterWords> = {
  en: {
    title: 'Create an account',
    username: 'User name',
    usernameRule: '5 to 60 characters: letters from a to z, digits and dashes, a letter or digit at both ends.',
    usernameFree: 'This user name is free.',
    usernameTaken: 'This user name is taken.',
    usernameOdd: 'This is not a user name yet.',
    email: 'E-mail address',
    emailWhy: 'For mails about your account, such as when you forget your password.',
    emailOptional: 'Optional. Without it, a password that you forget cannot be reset by mail.',
    emailTaken: 'An account has this e-mail address already.',
    emailOdd: 'This is not an e-mail address.',
    invitation: 'Invitation code',
    invitationWhy: 'Registration here is by invitation.',
    invitationWrong: 'This invitation code is not good: it is mistyped, or has been used.',
    terms: ['I accept the ', 'terms of use', '.'],
    termsText: 'I accept these terms of use:',
    termsMissing: 'Accept the terms of use to create an account.',
    missing: (label) => `${label}: this is missing.`,
    taken: (label) => `${label}: another account has this already.`,
    button: 'Create the account',
    haveOne: 'I have an account already',
    addressFirst: 'First confirm your e-mail address: we send it a code.',
    sendCode: 'Send me a code',
    mailFailed: 'The mail could not be sent. Check the address, or try again later.',
    codeSent: 'We have sent a code to',
    code: 'Code',
    codeHint: (minutes) => `Eight characters, good for ${minutes} minutes.`,
    checkCode: 'Go on',
    wrongCode: (left) => `This code is wrong. ${left === 1 ? 'One attempt is' : `${left} attempts are`} left.`,
    overCode: 'This code has expired or has been used. Have another sent.',
    spentCode: 'This code has been tried too often. Have another sent.',
    sendAgain: 'Send another code',
    sentLately: (seconds) => `A code was sent a moment ago. Another can be sent in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
    otherAddress: 'Use another address',
    proved: 'Confirmed',
    proofOver: 'You confirmed the address a while ago; please do it again.',
  },
  fr: {
    title: 'Créer un compte',
    username: 'Nom d’utilisateur',
    usernameRule: 'De 5 à 60 caractères : lettres de a à z, chiffres et tirets, avec une lettre ou un chiffre aux deux bouts.',
    usernameFree: 'Ce nom d’utilisateur est libre.',
    usernameTaken: 'Ce nom d’utilisateur est pris.',
    usernameOdd: 'Ce n’est pas encore un nom d’utilisateur.',
    email: 'Adresse e-mail',
    emailWhy: 'Pour les e-mails concernant votre compte, par exemple si vous oubliez votre mot de passe.',
    emailOptional: 'Facultative. Sans elle, un mot de passe oublié ne peut pas être réinitialisé par e-mail.',
    emailTaken: 'Un compte a déjà cette adresse e-mail.',
    emailOdd: 'Ce n’est pas une adresse e-mail.',
    invitation: 'Code d’invitation',
    invitationWhy: 'L’inscription se fait ici sur invitation.',
    invitationWrong: 'Ce code d’invitation n’est pas valable : il contient une faute de frappe ou a été utilisé.',
    terms: ['J’accepte les ', 'conditions d’utilisation', '.'],
    termsText: 'J’accepte ces conditions d’utilisation :',
    termsMissing: 'Acceptez les conditions d’utilisation pour créer un compte.',
    missing: (label) => `${label} : cette indication manque.`,
    taken: (label) => `${label} : un autre compte a déjà cette valeur.`,
    button: 'Créer le compte',
    haveOne: 'J’ai déjà un compte',
    addressFirst: 'Confirmez d’abord votre adresse e-mail : nous lui envoyons un code.',
    sendCode: 'M’envoyer un code',
    mailFailed: 'L’e-mail n’a pas pu être envoyé. Vérifiez l’adresse, ou réessayez plus tard.',
    codeSent: 'Nous avons envoyé un code à',
    code: 'Code',
    codeHint: (minutes) => `Huit caractères, valables ${minutes} minutes.`,
    checkCode: 'Continuer',
    wrongCode: (left) => `Ce code est faux. Il reste ${left === 1 ? 'un essai' : `${left} essais`}.`,
    overCode: 'Ce code a expiré ou a été utilisé. Faites-en envoyer un autre.',
    spentCode: 'Ce code a été essayé trop souvent. Faites-en envoyer un autre.',
    sendAgain: 'Envoyer un autre code',
    sentLately: (seconds) =>
      `Un code vient d’être envoyé. Un autre pourra l’être dans ${seconds} ${seconds === 1 ? 'seconde' : 'secondes'}.`,
    otherAddress: 'Utiliser une autre adresse',
    proved: 'Confirmée',
    proofOver: 'Vous avez confirmé l’adresse il y a un moment ; veuillez le refaire.',
  },
  de: {
    title: 'Konto erstellen',
    username: 'Benutzername',
    usernameRule: '5 bis 60 Zeichen: Buchstaben von a bis z, Ziffern und Bindestriche, an beiden Enden ein Buchstabe oder eine Ziffer.',
    usernameFree: 'Dieser Benutzername ist frei.',
    usernameTaken: 'Dieser Benutzername ist vergeben.',
    usernameOdd: 'Das ist noch kein Benutzername.',
    email: 'E-Mail-Adresse',
    emailWhy: 'Für E-Mails zu Ihrem Konto, zum Beispiel wenn Sie Ihr Passwort vergessen.',
    emailOptional: 'Freiwillig. Ohne sie kann ein vergessenes Passwort nicht per E-Mail zurückgesetzt werden.',
    emailTaken: 'Ein Konto hat diese E-Mail-Adresse schon.',
    emailOdd: 'Das ist keine E-Mail-Adresse.',
    invitation: 'Einladungscode',
    invitationWhy: 'Die Registrierung erfolgt hier auf Einladung.',
    invitationWrong: 'Dieser Einladungscode gilt nicht: Er enthält einen Tippfehler oder wurde verwendet.',
    terms: ['Ich nehme die ', 'Nutzungsbedingungen', ' an.'],
    termsText: 'Ich nehme diese Nutzungsbedingungen an:',
    termsMissing: 'Nehmen Sie die Nutzungsbedingungen an, um ein Konto zu erstellen.',
    missing: (label) => `${label}: Diese Angabe fehlt.`,
    taken: (label) => `${label}: Ein anderes Konto hat diesen Wert schon.`,
    button: 'Konto erstellen',
    haveOne: 'Ich habe schon ein Konto',
    addressFirst: 'Bestätigen Sie zuerst Ihre E-Mail-Adresse: Wir senden einen Code dorthin.',
    sendCode: 'Code senden',
    mailFailed: 'Die E-Mail konnte nicht gesendet werden. Prüfen Sie die Adresse, oder versuchen Sie es später erneut.',
    codeSent: 'Wir haben einen Code gesandt an',
    code: 'Code',
    codeHint: (minutes) => `Acht Zeichen, gültig für ${minutes} Minuten.`,
    checkCode: 'Weiter',
    wrongCode: (left) => `Dieser Code ist falsch. ${left === 1 ? 'Ein Versuch bleibt' : `${left} Versuche bleiben`}.`,
    overCode: 'Dieser Code ist abgelaufen oder wurde verwendet. Lassen Sie sich einen neuen senden.',
    spentCode: 'Dieser Code wurde zu oft versucht. Lassen Sie sich einen neuen senden.',
    sendAgain: 'Neuen Code senden',
    sentLately: (seconds) =>
      `Eben wurde ein Code gesandt. Ein neuer kann in ${seconds} ${seconds === 1 ? 'Sekunde' : 'Sekunden'} gesandt werden.`,
    otherAddress: 'Andere Adresse verwenden',
    proved: 'Bestätigt',
    proofOver: 'Sie haben die Adresse vor einiger Zeit bestätigt; bitte tun Sie es noch einmal.',
  },
}
