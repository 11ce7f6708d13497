/** Texts of refused calls in Activity. */
import type { InLanguages } from '../../../base/words.js'
import type { Action } from './actions.js'

interface RefusalWords {
  attempts: Readonly<Record<Action['kind'], string>>
  /** Reasons by the id of the failure. */
  reasons: Readonly<Record<string, string>>
}

export const refusalWords: InLanguages<RefusalWords> = {
  en: {
    attempts: {
      reading: 'An attempt to read data was refused',
      writing: 'An attempt to change data was refused',
      sharing: 'An attempt to change or use an access was refused',
      signIn: 'An attempt to sign in was refused',
      other: 'An action was refused',
    },
    reasons: {
      forbidden: 'It is not allowed, or the access has ended.',
      'invalid-access-token': 'The key is unknown or has ended.',
      'unknown-resource': 'What was asked for does not exist.',
      'unknown-referenced-resource': 'A stream that was named does not exist.',
      'item-already-exists': 'It exists already.',
      'invalid-parameters-format': 'The request was malformed.',
      'invalid-request-structure': 'The request was malformed.',
      'invalid-operation': 'The action is not possible.',
      'stale-resource': 'It was changed meanwhile.',
      'payload-too-large': 'It was too large.',
      'too-many-results': 'The result was too large.',
      'storage-full': 'There is no space left.',
      'unexpected-error': 'Something went wrong on the node.',
    },
  },
  fr: {
    attempts: {
      reading: 'Refus d’une tentative de lecture',
      writing: 'Refus d’une tentative de modification',
      sharing: 'Refus d’une tentative de modifier ou d’utiliser un accès',
      signIn: 'Refus d’une tentative de connexion',
      other: 'Refus d’une action',
    },
    reasons: {
      forbidden: 'Ce n’est pas permis, ou l’accès est terminé.',
      'invalid-access-token': 'La clé est inconnue ou terminée.',
      'unknown-resource': 'Ce qui était demandé n’existe pas.',
      'unknown-referenced-resource': 'Un flux nommé n’existe pas.',
      'item-already-exists': 'Cela existe déjà.',
      'invalid-parameters-format': 'La demande était mal formée.',
      'invalid-request-structure': 'La demande était mal formée.',
      'invalid-operation': 'L’action n’est pas possible.',
      'stale-resource': 'Il a été modifié entre-temps.',
      'payload-too-large': 'C’était trop grand.',
      'too-many-results': 'Le résultat était trop grand.',
      'storage-full': 'Il n’y a plus de place.',
      'unexpected-error': 'Une erreur est survenue sur le nœud.',
    },
  },
  de: {
    attempts: {
      reading: 'Ein Versuch, Daten zu lesen, wurde abgelehnt',
      writing: 'Ein Versuch, Daten zu ändern, wurde abgelehnt',
      sharing: 'Ein Versuch, einen Zugriff zu ändern oder zu benutzen, wurde abgelehnt',
      signIn: 'Ein Versuch, sich anzumelden, wurde abgelehnt',
      other: 'Eine Aktion wurde abgelehnt',
    },
    reasons: {
      forbidden: 'Es ist nicht erlaubt, oder der Zugriff ist beendet.',
      'invalid-access-token': 'Der Schlüssel ist unbekannt oder beendet.',
      'unknown-resource': 'Das Verlangte gibt es nicht.',
      'unknown-referenced-resource': 'Einen genannten Stream gibt es nicht.',
      'item-already-exists': 'Es besteht schon.',
      'invalid-parameters-format': 'Die Anfrage war fehlerhaft.',
      'invalid-request-structure': 'Die Anfrage war fehlerhaft.',
      'invalid-operation': 'Die Aktion ist nicht möglich.',
      'stale-resource': 'Es wurde inzwischen geändert.',
      'payload-too-large': 'Es war zu gross.',
      'too-many-results': 'Das Ergebnis war zu gross.',
      'storage-full': 'Es ist kein Platz mehr frei.',
      'unexpected-error': 'Auf dem Knoten ist etwas schiefgegangen.',
    },
  },
}
