/** Texts of the page that sets up, replaces and switches off the second factor. */
import type { InLanguages } from '../../base/words.js'

interface SetUpWords {
  title: string
  explanation: string
  notOffered: string
  none: string
  onApp: string
  onPhone(phone: string): string
  codesHint: string
  replace: string
  replaceTitle: string
  off: string
  offTitle: string
  offText: string
  method: string
  app: string
  text: string
  phone: string
  phoneHint: string
  prove: string
  password: string
  codeOr: string
  begin: string
  scan: string
  qr: string
  key: string
  copy: string
  copied: string
  codeOfApp: string
  codeOfText: string
  textSent(phone: string): string
  confirm: string
  cancel: string
  again: string
  sentAgain: string
  doneTitle: string
  done: string
  codesTitle: string
  codes: string
  keep: string
  goOn: string
  isOff: string
  isRecovered: string
  toSettings: string
  wrong: {
    code: string
    phone: string
    method: string
    proof: string
    noProof: string
    ended: string
    notSent: string
    meanwhile: string
  }
}

export const setUpWords: InLanguages<SetUpWords> = {
  en: {
    title: 'Second factor',
    explanation: 'With a second factor, signing in requires a code in addition to your password. Knowing your password is no longer enough.',
    notOffered: 'This service offers no second factor.',
    none: 'Your account has no second factor.',
    onApp: 'On: signing in asks for a code of your authenticator app.',
    onPhone: (phone) => `On: signing in asks for a code that is sent to ${phone} by text message.`,
    codesHint: 'If you ever cannot get a code, one of your recovery codes signs you in and removes the second factor. New recovery codes come with a new second factor.',
    replace: 'Replace it',
    replaceTitle: 'Replace the second factor',
    off: 'Switch it off',
    offTitle: 'Switch off the second factor',
    offText: 'You will then sign in with your password alone. The recovery codes stop working.',
    method: 'Where should codes come from?',
    app: 'An authenticator app',
    text: 'Text messages to my phone',
    phone: 'Phone number',
    phoneHint: 'With the country code, such as +41 79 123 45 67. Needed for text messages only.',
    prove: 'First confirm that it is you, with your password or a code of your current authenticator app.',
    password: 'Password',
    codeOr: 'Or: code of the current app',
    begin: 'Continue',
    scan: 'Scan this code with your authenticator app. Then type the code that the app shows.',
    qr: 'QR code for your authenticator app; the same key is below as text',
    key: 'Or type this key into the app:',
    copy: 'Copy',
    copied: 'Copied',
    codeOfApp: 'Code that the app shows',
    codeOfText: 'Code of the text message',
    textSent: (phone) => `A code was sent to ${phone}. Type it here.`,
    confirm: 'Confirm',
    cancel: 'Cancel',
    again: 'Send the code again',
    sentAgain: 'A new code was sent. Earlier codes are no longer valid.',
    doneTitle: 'The second factor is on',
    done: 'From now on, signing in asks for a code.',
    codesTitle: 'Your recovery codes',
    codes: 'If you cannot get a code, any one of these signs you in with your password. It removes the second factor and the other recovery codes. They are shown now and never again.',
    keep: 'Print this page or write the codes down, and keep them in a safe place.',
    goOn: 'I have saved them: continue',
    isOff: 'The second factor is off.',
    isRecovered: 'You are signed in. The recovery code has removed your second factor; set up a new one now.',
    toSettings: 'All settings',
    wrong: {
      code: 'The code is wrong. Apps show a new one every half minute; type the one that is shown now.',
      phone: 'This is not a phone number. Begin with + and the country code, such as +41 79 123 45 67.',
      method: 'Choose one of the options.',
      proof: 'The password or the code is wrong.',
      noProof: 'Enter either your password or a code.',
      ended: 'The set-up has expired, or too many codes were wrong. Nothing was changed; please start again.',
      notSent: 'The text message could not be sent. Check the number, or try again later.',
      meanwhile: 'The second factor was changed elsewhere in the meantime. Nothing was changed here; please start again.',
    },
  },
  fr: {
    title: 'Second facteur',
    explanation: 'Avec un second facteur, la connexion demande un code en plus du mot de passe : connaître votre mot de passe ne suffit plus.',
    notOffered: 'Ce service ne propose pas de second facteur.',
    none: 'Votre compte n’a pas de second facteur.',
    onApp: 'Activé : la connexion demande un code de votre application d’authentification.',
    onPhone: (phone) => `Activé : la connexion demande un code envoyé par SMS au ${phone}.`,
    codesHint: 'Si vous ne pouvez pas obtenir de code, l’un de vos codes de secours vous connecte et retire le second facteur. Un nouveau second facteur donne de nouveaux codes de secours.',
    replace: 'Le remplacer',
    replaceTitle: 'Remplacer le second facteur',
    off: 'Le désactiver',
    offTitle: 'Désactiver le second facteur',
    offText: 'Votre mot de passe suffira alors pour vous connecter. Les codes de secours ne fonctionneront plus.',
    method: 'D’où doivent venir les codes ?',
    app: 'Une application d’authentification',
    text: 'Des SMS sur mon téléphone',
    phone: 'Numéro de téléphone',
    phoneHint: 'Avec l’indicatif du pays, par exemple +41 79 123 45 67. Nécessaire pour les SMS seulement.',
    prove: 'Confirmez d’abord que c’est vous, avec votre mot de passe ou un code de votre application actuelle.',
    password: 'Mot de passe',
    codeOr: 'Ou : code de l’application actuelle',
    begin: 'Continuer',
    scan: 'Scannez ceci avec votre application d’authentification. Saisissez ensuite le code qu’elle affiche.',
    qr: 'Code QR pour votre application d’authentification ; la même clé figure en texte ci-dessous',
    key: 'Ou saisissez cette clé dans l’application :',
    copy: 'Copier',
    copied: 'Copié',
    codeOfApp: 'Code affiché par l’application',
    codeOfText: 'Code reçu par SMS',
    textSent: (phone) => `Un code a été envoyé au ${phone}. Saisissez-le ici.`,
    confirm: 'Confirmer',
    cancel: 'Annuler',
    again: 'Renvoyer le code',
    sentAgain: 'Un nouveau code a été envoyé. Les codes précédents ne sont plus valables.',
    doneTitle: 'Le second facteur est activé',
    done: 'Désormais, la connexion demande un code.',
    codesTitle: 'Vos codes de secours',
    codes: 'Si vous ne pouvez pas obtenir de code, n’importe lequel d’entre eux vous connecte avec votre mot de passe. Il retire le second facteur et les autres codes de secours. Ils sont affichés maintenant et plus jamais ensuite.',
    keep: 'Imprimez cette page ou notez les codes, et conservez-les en lieu sûr.',
    goOn: 'Je les ai conservés : continuer',
    isOff: 'Le second facteur est désactivé.',
    isRecovered: 'Vous êtes connecté. Le code de secours a retiré votre second facteur ; configurez-en un nouveau maintenant.',
    toSettings: 'Tous les réglages',
    wrong: {
      code: 'Le code est incorrect. Les applications en affichent un nouveau toutes les trente secondes ; saisissez celui du moment.',
      phone: 'Ce n’est pas un numéro de téléphone. Commencez par + et l’indicatif du pays, par exemple +41 79 123 45 67.',
      method: 'Choisissez l’une des options.',
      proof: 'Le mot de passe ou le code est incorrect.',
      noProof: 'Indiquez soit votre mot de passe, soit un code.',
      ended: 'La configuration a expiré, ou trop de codes étaient incorrects. Rien n’a été modifié ; veuillez recommencer.',
      notSent: 'Le SMS n’a pas pu être envoyé. Vérifiez le numéro, ou réessayez plus tard.',
      meanwhile: 'Le second facteur a été modifié ailleurs entre-temps. Rien n’a été modifié ici ; veuillez recommencer.',
    },
  },
  de: {
    title: 'Zweiter Faktor',
    explanation: 'Mit einem zweiten Faktor verlangt die Anmeldung neben dem Passwort einen Code. Ihr Passwort zu kennen genügt dann nicht mehr.',
    notOffered: 'Dieser Dienst bietet keinen zweiten Faktor an.',
    none: 'Ihr Konto hat keinen zweiten Faktor.',
    onApp: 'Ein: Die Anmeldung verlangt einen Code Ihrer Authentifizierungs-App.',
    onPhone: (phone) => `Ein: Die Anmeldung verlangt einen Code, der per SMS an ${phone} gesendet wird.`,
    codesHint: 'Wenn Sie einmal keinen Code bekommen können, meldet Sie einer Ihrer Wiederherstellungscodes an und entfernt den zweiten Faktor. Neue Wiederherstellungscodes gibt es mit einem neuen zweiten Faktor.',
    replace: 'Ersetzen',
    replaceTitle: 'Zweiten Faktor ersetzen',
    off: 'Ausschalten',
    offTitle: 'Zweiten Faktor ausschalten',
    offText: 'Danach genügt Ihr Passwort zur Anmeldung. Die Wiederherstellungscodes verfallen.',
    method: 'Woher sollen die Codes kommen?',
    app: 'Von einer Authentifizierungs-App',
    text: 'Per SMS auf mein Telefon',
    phone: 'Telefonnummer',
    phoneHint: 'Mit Landesvorwahl, zum Beispiel +41 79 123 45 67. Nur für SMS nötig.',
    prove: 'Bestätigen Sie zuerst, dass Sie es sind: mit Ihrem Passwort oder mit einem Code Ihrer jetzigen Authentifizierungs-App.',
    password: 'Passwort',
    codeOr: 'Oder: Code der jetzigen App',
    begin: 'Weiter',
    scan: 'Scannen Sie dies mit Ihrer Authentifizierungs-App. Geben Sie dann den Code ein, den die App anzeigt.',
    qr: 'QR-Code für Ihre Authentifizierungs-App; derselbe Schlüssel steht unten als Text',
    key: 'Oder geben Sie diesen Schlüssel in der App ein:',
    copy: 'Kopieren',
    copied: 'Kopiert',
    codeOfApp: 'Code, den die App anzeigt',
    codeOfText: 'Code aus der SMS',
    textSent: (phone) => `Ein Code wurde an ${phone} gesendet. Geben Sie ihn hier ein.`,
    confirm: 'Bestätigen',
    cancel: 'Abbrechen',
    again: 'Code erneut senden',
    sentAgain: 'Ein neuer Code wurde gesendet. Frühere Codes gelten nicht mehr.',
    doneTitle: 'Der zweite Faktor ist eingeschaltet',
    done: 'Von jetzt an verlangt die Anmeldung einen Code.',
    codesTitle: 'Ihre Wiederherstellungscodes',
    codes: 'Wenn Sie keinen Code bekommen können, meldet Sie jeder davon zusammen mit Ihrem Passwort an. Er entfernt den zweiten Faktor und die anderen Wiederherstellungscodes. Sie werden jetzt gezeigt und nie wieder.',
    keep: 'Drucken Sie diese Seite oder schreiben Sie die Codes ab, und bewahren Sie sie sicher auf.',
    goOn: 'Ich habe sie aufbewahrt: weiter',
    isOff: 'Der zweite Faktor ist ausgeschaltet.',
    isRecovered: 'Sie sind angemeldet. Der Wiederherstellungscode hat Ihren zweiten Faktor entfernt; richten Sie jetzt einen neuen ein.',
    toSettings: 'Alle Einstellungen',
    wrong: {
      code: 'Der Code ist falsch. Apps zeigen alle dreissig Sekunden einen neuen an; geben Sie den jetzigen ein.',
      phone: 'Das ist keine Telefonnummer. Beginnen Sie mit + und der Landesvorwahl, zum Beispiel +41 79 123 45 67.',
      method: 'Wählen Sie eine der angebotenen Möglichkeiten.',
      proof: 'Das Passwort oder der Code ist falsch.',
      noProof: 'Geben Sie entweder Ihr Passwort oder einen Code ein.',
      ended: 'Die Einrichtung ist abgelaufen, oder zu viele Codes waren falsch. Es wurde nichts geändert; bitte beginnen Sie von vorn.',
      notSent: 'Die SMS konnte nicht gesendet werden. Prüfen Sie die Nummer oder versuchen Sie es später erneut.',
      meanwhile: 'Der zweite Faktor wurde inzwischen anderswo geändert. Hier wurde nichts geändert; bitte beginnen Sie von vorn.',
    },
  },
}
