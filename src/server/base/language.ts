import type { Account } from '../../store/engine/account.js'
import { findEvent } from '../../store/events/events.js'

/** Returns the language of an account as a two-letter code. */
export function languageOf({ db, prefix }: Pick<Account, 'db' | 'prefix'>): string {
  const language = findEvent(db, prefix, ':_system:language')?.content
  return typeof language === 'string' ? language : 'en'
}
