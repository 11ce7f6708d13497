/** Texts of the pages that make and show a link, or a key for an app. */
import type { InLanguages } from '../../../base/words.js'

interface LinkWords {
  title: string
  appTitle: string
  intro: string
  appIntro: string
  forWhom: string
  appName: string
  device: string
  deviceHint: string
  opens: string
  everything: string
  streams: string
  level: string
  each: string
  eachText: string
  levelIn(stream: string): string
  alias: string
  aliasHint: string
  make: string
  next: string
  noStreams: string
  nothingChosen: string
  noLevel: string
  made: string
  linkTitle(name: string): string
  text: string
  secret: string
  qr: string
  copy: string
  copied: string
  print: string
  details: string
  loopback: string
  ended: string
  hidden: string
}

export const linkWords: InLanguages<LinkWords> = {
  en: {
    title: 'Make a link',
    appTitle: 'Make a key for an app',
    intro: 'Anyone who has the link can use it. You can withdraw it at any time.',
    appIntro: 'For an app of your own, or a script. Anyone who has the key can use it. You can withdraw it at any time.',
    forWhom: 'For whom?',
    appName: 'Name of the app',
    device: 'Device',
    deviceHint: 'Optional: where the app runs.',
    opens: 'What does it open?',
    everything: 'Everything in this account, now and later',
    streams: 'Or only these streams, with all below them',
    level: 'Who has the link can',
    each: 'something else for each stream',
    eachText: 'Choose for each stream:',
    levelIn: (stream) => `In ${stream}`,
    alias: 'Hide my user name',
    aliasHint: 'The link contains a random name instead.',
    make: 'Make it',
    next: 'Next',
    noStreams: 'There are no streams yet. Add one first, or open everything.',
    nothingChosen: 'Choose what it opens.',
    noLevel: 'Choose what is possible in each stream.',
    made: 'The link works from now on.',
    linkTitle: (name) => `Link for ${name}`,
    text: 'Give this link to the person or paste it into the app. On a phone, the code can be photographed.',
    secret: 'Anyone who has it can use it: send it as you would send a password.',
    qr: 'The link as a QR code',
    copy: 'Copy the link',
    copied: 'Copied',
    print: 'Print',
    details: 'What it opens, and how to withdraw it',
    loopback: 'This link leads to this computer only: on other devices it opens nothing, until the node has a public address.',
    ended: 'This access has ended: its link opens nothing. Change its end to use it again.',
    hidden: 'The link of this access is not shown to you.',
  },
  fr: {
    title: 'Créer un lien',
    appTitle: 'Créer une clé pour une app',
    intro: 'Toute personne qui a le lien peut l’utiliser. Vous pouvez le retirer à tout moment.',
    appIntro: 'Pour votre propre app ou un script. Qui a la clé peut l’utiliser. Vous pouvez la retirer à tout moment.',
    forWhom: 'Pour qui ?',
    appName: 'Nom de l’app',
    device: 'Appareil',
    deviceHint: 'Facultatif : où l’app fonctionne.',
    opens: 'Qu’ouvre-t-il ?',
    everything: 'Tout ce compte, maintenant et plus tard',
    streams: 'Ou seulement ces flux, avec ce qu’ils contiennent',
    level: 'Qui a le lien peut',
    each: 'autre chose pour chaque flux',
    eachText: 'Choisissez pour chaque flux :',
    levelIn: (stream) => `Dans ${stream}`,
    alias: 'Cacher mon nom d’utilisateur',
    aliasHint: 'Le lien contient un nom aléatoire à la place.',
    make: 'Créer',
    next: 'Suivant',
    noStreams: 'Il n’y a pas encore de flux. Ajoutez-en un d’abord, ou ouvrez tout.',
    nothingChosen: 'Choisissez ce qu’il ouvre.',
    noLevel: 'Choisissez ce qui est possible dans chaque flux.',
    made: 'Le lien fonctionne dès maintenant.',
    linkTitle: (name) => `Lien pour ${name}`,
    text: 'Donnez ce lien à la personne, ou collez-le dans l’app. Avec un téléphone, le code peut être photographié.',
    secret: 'Toute personne qui l’a peut l’utiliser : envoyez-le comme un mot de passe.',
    qr: 'Le lien sous forme de code QR',
    copy: 'Copier le lien',
    copied: 'Copié',
    print: 'Imprimer',
    details: 'Ce qu’il ouvre, et comment le retirer',
    loopback: 'Ce lien ne mène qu’à cet ordinateur : sur d’autres appareils il n’ouvre rien, tant que le nœud n’a pas d’adresse publique.',
    ended: 'Cet accès a pris fin : son lien n’ouvre rien. Changez sa fin pour le réutiliser.',
    hidden: 'Le lien de cet accès ne vous est pas montré.',
  },
  de: {
    title: 'Link erstellen',
    appTitle: 'Schlüssel für eine App erstellen',
    intro: 'Wer den Link hat, kann ihn verwenden. Sie können ihn jederzeit entziehen.',
    appIntro: 'Für eine eigene App oder ein Skript. Wer den Schlüssel hat, kann ihn verwenden. Sie können ihn jederzeit entziehen.',
    forWhom: 'Für wen?',
    appName: 'Name der App',
    device: 'Gerät',
    deviceHint: 'Freiwillig: wo die App läuft.',
    opens: 'Was öffnet er?',
    everything: 'Alles in diesem Konto, jetzt und später',
    streams: 'Oder nur diese Streams, mit allem darunter',
    level: 'Wer den Link hat, darf',
    each: 'etwas anderes für jeden Stream',
    eachText: 'Wählen Sie für jeden Stream:',
    levelIn: (stream) => `In ${stream}`,
    alias: 'Meinen Benutzernamen verbergen',
    aliasHint: 'Der Link enthält stattdessen einen zufälligen Namen.',
    make: 'Erstellen',
    next: 'Weiter',
    noStreams: 'Es gibt noch keine Streams. Fügen Sie zuerst einen hinzu, oder öffnen Sie alles.',
    nothingChosen: 'Wählen Sie, was er öffnet.',
    noLevel: 'Wählen Sie für jeden Stream, was möglich ist.',
    made: 'Der Link gilt ab jetzt.',
    linkTitle: (name) => `Link für ${name}`,
    text: 'Geben Sie diesen Link der Person, oder fügen Sie ihn in der App ein. Mit einem Telefon lässt sich der Code fotografieren.',
    secret: 'Wer ihn hat, kann ihn verwenden: Senden Sie ihn wie ein Passwort.',
    qr: 'Der Link als QR-Code',
    copy: 'Link kopieren',
    copied: 'Kopiert',
    print: 'Drucken',
    details: 'Was er öffnet, und wie man ihn entzieht',
    loopback: 'Dieser Link führt nur zu diesem Computer: Auf anderen Geräten öffnet er nichts, bis der Knoten eine öffentliche Adresse hat.',
    ended: 'Dieser Zugriff ist beendet: Sein Link öffnet nichts. Ändern Sie das Ende, um ihn wieder zu verwenden.',
    hidden: 'Der Link dieses Zugriffs wird Ihnen nicht gezeigt.',
  },
}
