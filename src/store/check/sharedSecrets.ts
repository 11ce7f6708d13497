/** Checks shared secrets, and their index entries by access. */
import { accountKeys, ORDERED_LENGTH, orderedToNumber } from '../engine/keys.js'
import type { SharedSecret } from '../model/sharedSecret.js'
import type { Seal } from '../keyring/seal.js'
import { textToSecret } from '../accesses/sharedSecrets.js'
import { holding, objectIn, textOf, type CheckContext, type ExpectedEntry, type Entry } from './crossReference.js'

const secretAt = (account: string, id: string): string => `account ${account}, shared secret ${id}`

/** Parses a stored secret; undefined when required members are missing. */
function secretIn(text: string | undefined): (SharedSecret & { sealed?: string }) | undefined {
  const stored = objectIn(text)
  const texts = [stored?.['id'], stored?.['accessId'], stored?.['keyHash'], stored?.['status'], stored?.['title']]
  const isSecret = texts.every((member) => typeof member === 'string') && typeof stored?.['time'] === 'number'
  return isSecret ? (stored as unknown as SharedSecret & { sealed?: string }) : undefined
}

/** Checks a secret, `<id>`: its index entry by access exists, and it has a value exactly while it is pending. */
export function expectedSecretEntries({ findings }: CheckContext, entry: Entry, seal: Seal | undefined): ExpectedEntry[] {
  findings.count('shared secrets')
  const { account, rest: id } = entry
  const where = secretAt(account, id)
  const text = textOf(entry)
  const secret = secretIn(text)
  if (secret === undefined || secret.id !== id) {
    findings.report(where, 'has a record that cannot be read')
    return []
  }
  const isPending = secret.status === 'pending'
  if (isPending && secret.sealed === undefined) findings.report(where, 'is pending but has no value')
  if (!isPending && secret.sealed !== undefined) findings.report(where, 'has ended but still has its value')
  if (isPending && seal !== undefined && !opens(seal, account, text)) {
    findings.report(where, 'has a value that this node key cannot decrypt')
  }
  const indexKey = accountKeys.sharedSecretBy(account, secret.accessId, secret.time, id)
  return [holding(indexKey, '', where, 'entry of its access')]
}

function opens(seal: Seal, account: string, text: string): boolean {
  try {
    textToSecret(seal, account, text).open?.()
    return true
  } catch {
    return false
  }
}

/** Expects the secret of an index entry, `<access>/<time><id>`, with that access and time. */
export function expectedSecretByAccessEntries({ findings }: CheckContext, entry: Entry): ExpectedEntry[] {
  findings.count('shared secrets of accesses')
  const { account, rest } = entry
  const slash = rest.indexOf('/')
  const [accessId, end] = [rest.slice(0, slash), rest.slice(slash + 1)]
  const id = end.slice(ORDERED_LENGTH)
  const wrong = (text: string | undefined): string | undefined => {
    const secret = secretIn(text)
    const isOf = secret?.accessId === accessId && secret.time === orderedToNumber(end)
    return isOf ? undefined : 'is listed under an access that did not create it'
  }
  return [{ key: accountKeys.sharedSecret(account, id), where: secretAt(account, id), wrong }]
}
