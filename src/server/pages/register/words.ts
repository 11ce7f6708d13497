import type { InLanguages } from '../../base/words.js'

interface RegisterWords {
  title: string
  username: string
  usernameRule: string
  usernameFree: string
  usernameTaken: string
  usernameInvalid: string
  email: string
  emailWhy: string
  emailOptional: string
  emailTaken: string
  emailInvalid: string
  invitation: string
  invitationWhy: string
  invitationWrong: string
  /** Text around the link to the terms. */
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
  sentRecently(seconds: number): string
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
    usernameInvalid: 'This is not a valid user name yet.',
    email: 'E-mail address',
    emailWhy: 'For mails about your account, such as when you forget your password.',
    emailOptional: 'Optional. Without it, a password that you forget cannot be reset by mail.',
    emailTaken: 'An account with this e-mail address already exists.',
    emailInvalid: 'This is not an e-mail address.',
    invitation: 'Invitation code',
    invitationWhy: 'Registration here is by invitation.',
    invitationWrong: 'This invitation code is not valid: it is mistyped or was already used.',
    terms: ['I accept the ', 'terms of use', '.'],
    termsText: 'I accept these terms of use:',
    termsMissing: 'Accept the terms of use to create an account.',
    missing: (label) => `${label}: required.`,
    taken: (label) => `${label}: already used by another account.`,
    button: 'Create the account',
    haveOne: 'I already have an account',
    addressFirst: 'First confirm your e-mail address. We will send you a code.',
    sendCode: 'Send me a code',
    mailFailed: 'The mail could not be sent. Check the address, or try again later.',
    codeSent: 'We have sent a code to',
    code: 'Code',
    codeHint: (minutes) => `Eight characters, valid for ${minutes} minutes.`,
    checkCode: 'Continue',
    wrongCode: (left) => `This code is wrong. ${left === 1 ? 'One attempt is' : `${left} attempts are`} left.`,
    overCode: 'This code has expired or was already used. Request another one.',
    spentCode: 'Too many attempts with this code. Request another one.',
    sendAgain: 'Send another code',
    sentRecently: (seconds) => `A code was just sent. You can request another one in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
    otherAddress: 'Use another address',
    proved: 'Confirmed',
    proofOver: 'Your confirmation has expired. Please confirm the address again.',
  },
  fr: {
    title: 'Créer un compte',
    username: 'Nom d’utilisateur',
    usernameRule: 'De 5 à 60 caractères : lettres de a à z, chiffres et tirets, avec une lettre ou un chiffre aux deux bouts.',
    usernameFree: 'Ce nom d’utilisateur est libre.',
    usernameTaken: 'Ce nom d’utilisateur est pris.',
    usernameInvalid: 'Ce n’est pas encore un nom d’utilisateur valable.',
    email: 'Adresse e-mail',
    emailWhy: 'Pour les e-mails concernant votre compte, par exemple si vous oubliez votre mot de passe.',
    emailOptional: 'Facultative. Sans elle, un mot de passe oublié ne peut pas être réinitialisé par e-mail.',
    emailTaken: 'Un compte avec cette adresse e-mail existe déjà.',
    emailInvalid: 'Ce n’est pas une adresse e-mail.',
    invitation: 'Code d’invitation',
    invitationWhy: 'L’inscription se fait ici sur invitation.',
    invitationWrong: 'Ce code d’invitation n’est pas valable : il contient une faute de frappe ou a déjà été utilisé.',
    terms: ['J’accepte les ', 'conditions d’utilisation', '.'],
    termsText: 'J’accepte ces conditions d’utilisation :',
    termsMissing: 'Acceptez les conditions d’utilisation pour créer un compte.',
    missing: (label) => `${label} : obligatoire.`,
    taken: (label) => `${label} : déjà utilisé par un autre compte.`,
    button: 'Créer le compte',
    haveOne: 'J’ai déjà un compte',
    addressFirst: 'Confirmez d’abord votre adresse e-mail. Nous vous enverrons un code.',
    sendCode: 'M’envoyer un code',
    mailFailed: 'L’e-mail n’a pas pu être envoyé. Vérifiez l’adresse, ou réessayez plus tard.',
    codeSent: 'Nous avons envoyé un code à',
    code: 'Code',
    codeHint: (minutes) => `Huit caractères, valables ${minutes} minutes.`,
    checkCode: 'Continuer',
    wrongCode: (left) => `Ce code est faux. Il reste ${left === 1 ? 'un essai' : `${left} essais`}.`,
    overCode: 'Ce code a expiré ou a déjà été utilisé. Demandez-en un autre.',
    spentCode: 'Trop de tentatives avec ce code. Demandez-en un autre.',
    sendAgain: 'Envoyer un autre code',
    sentRecently: (seconds) =>
      `Un code vient d’être envoyé. Vous pourrez en demander un autre dans ${seconds} ${seconds === 1 ? 'seconde' : 'secondes'}.`,
    otherAddress: 'Utiliser une autre adresse',
    proved: 'Confirmée',
    proofOver: 'Votre confirmation a expiré. Veuillez confirmer à nouveau l’adresse.',
  },
  de: {
    title: 'Konto erstellen',
    username: 'Benutzername',
    usernameRule: '5 bis 60 Zeichen: Buchstaben von a bis z, Ziffern und Bindestriche, an beiden Enden ein Buchstabe oder eine Ziffer.',
    usernameFree: 'Dieser Benutzername ist frei.',
    usernameTaken: 'Dieser Benutzername ist vergeben.',
    usernameInvalid: 'Das ist noch kein gültiger Benutzername.',
    email: 'E-Mail-Adresse',
    emailWhy: 'Für E-Mails zu Ihrem Konto, zum Beispiel wenn Sie Ihr Passwort vergessen.',
    emailOptional: 'Freiwillig. Ohne sie kann ein vergessenes Passwort nicht per E-Mail zurückgesetzt werden.',
    emailTaken: 'Es gibt schon ein Konto mit dieser E-Mail-Adresse.',
    emailInvalid: 'Das ist keine E-Mail-Adresse.',
    invitation: 'Einladungscode',
    invitationWhy: 'Die Registrierung erfolgt hier auf Einladung.',
    invitationWrong: 'Dieser Einladungscode ist ungültig: Er enthält einen Tippfehler oder wurde schon verwendet.',
    terms: ['Ich nehme die ', 'Nutzungsbedingungen', ' an.'],
    termsText: 'Ich nehme diese Nutzungsbedingungen an:',
    termsMissing: 'Nehmen Sie die Nutzungsbedingungen an, um ein Konto zu erstellen.',
    missing: (label) => `${label}: erforderlich.`,
    taken: (label) => `${label}: schon von einem anderen Konto verwendet.`,
    button: 'Konto erstellen',
    haveOne: 'Ich habe schon ein Konto',
    addressFirst: 'Bestätigen Sie zuerst Ihre E-Mail-Adresse. Wir senden Ihnen einen Code.',
    sendCode: 'Code senden',
    mailFailed: 'Die E-Mail konnte nicht gesendet werden. Prüfen Sie die Adresse, oder versuchen Sie es später erneut.',
    codeSent: 'Wir haben einen Code gesendet an',
    code: 'Code',
    codeHint: (minutes) => `Acht Zeichen, gültig für ${minutes} Minuten.`,
    checkCode: 'Weiter',
    wrongCode: (left) => `Dieser Code ist falsch. ${left === 1 ? 'Ein Versuch bleibt' : `${left} Versuche bleiben`}.`,
    overCode: 'Dieser Code ist abgelaufen oder wurde schon verwendet. Fordern Sie einen neuen an.',
    spentCode: 'Zu viele Versuche mit diesem Code. Fordern Sie einen neuen an.',
    sendAgain: 'Neuen Code senden',
    sentRecently: (seconds) =>
      `Eben wurde ein Code gesendet. In ${seconds} ${seconds === 1 ? 'Sekunde' : 'Sekunden'} können Sie einen neuen anfordern.`,
    otherAddress: 'Andere Adresse verwenden',
    proved: 'Bestätigt',
    proofOver: 'Ihre Bestätigung ist abgelaufen. Bitte bestätigen Sie die Adresse noch einmal.',
  },
}
