/** Export lines of accesses, their webhooks, profile sets and followed slices. */
import { readRecord } from '../../store/accesses/accessRecord.js'
import { findAccessRecord, sessionExpiry, type Usage } from '../../store/accesses/accesses.js'
import { each } from '../../store/engine/database.js'
import { textToSlice } from '../../store/accounts/followedSlices.js'
import { accountKeys, under } from '../../store/engine/keys.js'
import type { Access, AccessDeletion } from '../../store/model/access.js'
import { markerOf } from '../../store/model/delegation.js'
import { textToProfile } from '../../store/accounts/profiles.js'
import { readRuns, textToWebhook } from '../../store/accesses/webhooks.js'
import type { Export } from './exportContext.js'
import type { AccessLine, WebhookLine } from './format.js'

const valuesOf = ({ source, snapshot }: Export, prefix: string): AsyncGenerator<string> =>
  each(source.db.values(under(prefix), {}, snapshot))

export async function* profileLines(from: Export): AsyncGenerator<string> {
  const all = accountKeys.profile(from.account.prefix, '')
  for await (const [key, text] of each(from.source.db.entries(under(all), {}, from.snapshot))) {
    from.count('profileSets')
    yield JSON.stringify(textToProfile(key.slice(all.length), text))
  }
}

/** Yields accesses, except those managed by a delegation. */
export async function* accessLines(from: Export): AsyncGenerator<string> {
  const { reader, account, source } = from
  const a = account.prefix
  const { seal } = source
  for await (const text of valuesOf(from, accountKeys.accesses(a))) {
    const { access, token } = readRecord(text, seal, a)
    if (markerOf(access) !== undefined) continue
    const session = sessionExpiry(reader, a, access.id)
    const usage = reader.get(accountKeys.usage(a, access.id))
    const versions: Access[] = []
    for (let serial = 0; serial < (access.serial ?? 0); serial++) {
      const version = reader.get(accountKeys.accessVersion(a, access.id, serial))
      if (version !== undefined) versions.push(JSON.parse(version) as Access)
    }
    from.count('accesses')
    yield JSON.stringify({
      access,
      token: token.reveal(),
      ...(session === undefined ? {} : { session }),
      ...(usage === undefined ? {} : { usage: JSON.parse(usage) as Usage }),
      ...(versions.length === 0 ? {} : { versions }),
    } satisfies AccessLine)
  }
  for await (const text of valuesOf(from, accountKeys.accessDeletions(a))) {
    const { access: deletion, token } = readRecord<AccessDeletion>(text, seal, a)
    if (markerOf(deletion) !== undefined) continue
    from.count('accessDeletions')
    yield JSON.stringify({ deletion, token: token.reveal() } satisfies AccessLine)
  }
}

export async function* webhookLines(from: Export): AsyncGenerator<string> {
  const a = from.account.prefix
  for await (const text of valuesOf(from, accountKeys.webhooks(a))) {
    const webhook = textToWebhook(from.source.seal, a, text)
    const access = findAccessRecord(from.reader, a, webhook.accessId)
    if (access === undefined || markerOf(access) !== undefined) continue
    from.count('webhooks')
    yield JSON.stringify({ webhook, runs: readRuns(from.reader, a, webhook.id) } satisfies WebhookLine)
  }
}

export async function* sliceLines(from: Export): AsyncGenerator<string> {
  const a = from.account.prefix
  for await (const text of valuesOf(from, accountKeys.slices(a))) {
    from.count('followedSlices')
    yield JSON.stringify(textToSlice(from.source.seal, a, text))
  }
}
