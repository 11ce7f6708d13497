import type { Account } from '../store/account.js'
import { findEvent } from '../store/events.js'
import type { Node } from './node.js'

/** The language of an account, as a code of two letters. */
export function languageOf(node: Node, { prefix }: Account): string {
  const language = findEvent(node.store.db, prefix, ':_system:language')?.content
  return typeof language === 'string' ? language : 'en'
}
