/** Checks links to offers, relationships between accounts, and their message tasks. */
import { TASK_KINDS, taskPlace } from '../accesses/consentTasks.js'
import { accountKeys, nodeKeys } from '../engine/keys.js'
import type { Seal } from '../keyring/seal.js'
import { leading } from './accesses.js'
import { holding, objectIn, textOf, type CheckContext, type ExpectedEntry, type Entry } from './crossReference.js'

/** Expects the access of a relationship: `<peer>/<access>`. */
export function expectedRelationEntries({ findings }: CheckContext, { account, rest }: Entry): ExpectedEntry[] {
  const id = rest.slice(rest.indexOf('/') + 1)
  findings.count('relationships')
  return [leading(accountKeys.relations(account) + rest, account, id, `the relationship ${rest} of account ${account}`)]
}

/** Expects the access of an offer link: `<capability>` → access id. */
export function expectedLinkEntries({ findings }: CheckContext, entry: Entry): ExpectedEntry[] {
  const { account, rest } = entry
  findings.count('links to offers')
  return [leading(accountKeys.consentLink(account, rest), account, textOf(entry), `the link ${rest} of account ${account}`)]
}

/** Expects the access of a relationship: `<capability>/<peer>` → access id. */
export function expectedLinkMemberEntries(_: CheckContext, entry: Entry): ExpectedEntry[] {
  const { account, rest } = entry
  return [leading(accountKeys.allJoined(account) + rest, account, textOf(entry), `the relationship of link ${rest} of account ${account}`)]
}

/** Checks a message task, `<id>` → JSON, and expects its entry in the node's list. */
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
      context.findings.report(where, 'has a payload that this node key cannot decrypt')
    }
  }
  return [holding(nodeKeys.consentDue(account, rest), '', where, 'entry in the list of the node')]
}
