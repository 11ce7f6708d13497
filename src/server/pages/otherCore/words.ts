/** Texts about accounts of other cores. */
import type { InLanguages } from '../../base/words.js'

interface OtherCoreWords {
  title: string
  /** Text before the address of the core. */
  elsewhere: string
  createdTitle: string
  created: string
  go: string
}

export const otherCoreWords: InLanguages<OtherCoreWords> = {
  en: {
    title: 'Continue on another server',
    elsewhere: 'This account is on another server of this service:',
    createdTitle: 'Your account was created',
    created: 'Your account is on another server of this service. Sign in there:',
    go: 'Continue',
  },
  fr: {
    title: 'Continuer sur un autre serveur',
    elsewhere: 'Ce compte se trouve sur un autre serveur de ce service :',
    createdTitle: 'Votre compte a été créé',
    created: 'Votre compte se trouve sur un autre serveur de ce service. Connectez-vous là-bas :',
    go: 'Continuer',
  },
  de: {
    title: 'Weiter auf einem anderen Server',
    elsewhere: 'Dieses Konto liegt auf einem anderen Server dieses Dienstes:',
    createdTitle: 'Ihr Konto wurde erstellt',
    created: 'Ihr Konto liegt auf einem anderen Server dieses Dienstes. Melden Sie sich dort an:',
    go: 'Weiter',
  },
}
