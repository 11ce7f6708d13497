/** Links to offers, relationships between accounts, and what is to be done about their messages. */
import { TASK_KINDS, taskPlace } from '../accesses/consentTasks.js'
import { accountKeys, nodeKeys } from '../engine/keys.js'
import type { Seal } from '../keyring/seal.js'
import { leading } from './accesses.js'
import { holding, objectIn, textOf, type CheckContext, type ExpectedEntry, type Entry } from './crossReference.js'

/** `<peer>/<access>`: leads to an access of a relationship with that account. */
export function expectedRelationEntries({ findings }: CheckContext, { account, rest }: Entry): ExpectedEntry[] {
  const id = rest.slice(rest.indexOf('/') + 1)
  findings.count('relationships')
  return [leading(accountKeys.relations(account) + rest, account, id, `the relationship ${rest} of account ${account}`)]
}

/** `<capability>` → access id: leads to the access of that link. */
export function expectedLinkEntries({ findings }: CheckContext, entry: Entry): ExpectedEntry[] {
  const { account, rest } = entry
  findings.count('links to offers')
  return [leading(accountKeys.consentLink(account, rest), account, textOf(entry), `the link ${rest} of account ${account}`)]
}

/** `<capability>/<peer>` → access id: leads to the access of the relationship. */
export function expectedLinkMemberEntries(_: CheckContext, entry: Entry): ExpectedEntry[] {
  const { account, rest } = entry
  return [leading(accountKeys.allJoined(account) + rest, account, textOf(entry), `who joined by ${rest} of account ${account}`)]
}

/** A task: `<id>` → JSON; the node's list has it. */
export function expectedTaskEntries(context: CheckContext, entry: Entry, seal: Seal | undefined): ExpectedEntry[] {
  const { account, rest } = entry
  const where = `account ${account}, message task ${rest}`
  context.findings.count('message tasks')
  const stored = objectIn(textOf(entry))
  const kinds: readonly unknown[] = TASK_KINDS
  const isWhole = stored?.['id'] === rest && kinds.includes(stored['kind']) && typeof stored['due'] === 'number'
  if (!isWhole) {
    context.findings.report(where, 'has a record that cannot be read')
    return []
  }
  const sealed = stored['sealedPayload']
  if (seal !== undefined && sealed !== undefined) {
    try {
      seal.open(String(sealed), taskPlace(account, rest))
    } catch {
      context.findings.report(where, 'holds what this node key does not open')
    }
  }
  return [holding(nodeKeys.consentDue(account, rest), '', where, 'entry in the list of the node')]
}
