import type { InLanguages } from '../../words.js'

interface AccessWords {
  title: string
  nobody: string
  signOut: string
}

export const accessWords: InLanguages<AccessWords> = {
  en: { title: 'Who has access', nobody: 'Nobody but you.', signOut: 'Sign out' },
  fr: { title: 'Qui a accès', nobody: 'Personne d’autre que vous.', signOut: 'Se déconnecter' },
  de: { title: 'Wer Zugriff hat', nobody: 'Niemand ausser Ihnen.', signOut: 'Abmelden' },
}
