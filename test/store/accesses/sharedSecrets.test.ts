/** Shared secrets in the store. */
import { describe, expect, it } from 'vitest'
import {
  accessesWithSecrets,
  addSharedSecret,
  endSharedSecret,
  findSharedSecret,
  removeSharedSecret,
  scanSharedSecrets,
  withoutSecrets,
} from '../../../src/store/accesses/sharedSecrets.js'
import type { EventQuery } from '../../../src/store/events/eventQuery.js'
import { ended, SECRETS_ROOT, secretsStreamOf, type SharedSecret } from '../../../src/store/model/sharedSecret.js'
import { describeRepository, repositories, type TestAccount } from '../repository.js'

const secret: SharedSecret = {
  id: 'cjx0000000000000000000001',
  accessId: 'ca1',
  time: 10,
  duration: 60,
  keyHash: 'ab',
  title: 'Transport',
  status: 'pending',
  statusHistory: [{ status: 'pending', time: 10 }],
  onConsumed: { message: 'Done' },
  modified: 10,
  modifiedBy: 'ca1',
  createdBy: 'ca1',
}
const content = { secret: { pin: 'four-digits' }, integrity: 'hash' }
const over = ended(secret, { status: 'consumed', time: 20 })

const query = (...streams: string[]): EventQuery => ({
  runningOnly: false,
  streams: [{ any: new Set(streams), all: [], not: new Set(), account: new Set() }],
  state: 'all',
  ascending: true,
  skip: 0,
  limit: 10,
})

async function scan({ store, account }: TestAccount, eventQuery: EventQuery): Promise<string[]> {
  const snapshot = account.db.snapshot()
  const found: string[] = []
  for await (const page of scanSharedSecrets(account, store.seal, eventQuery, snapshot)) found.push(...page.map((text) => (JSON.parse(text) as { id: string }).id))
  await snapshot.close()
  return found
}

describeRepository('shared secrets', {
  async read(place) {
    const { store, account } = place
    const found = findSharedSecret(store.db, store.seal, account.prefix, secret.id)
    return [found?.secret, found?.open?.(), await accessesWithSecrets(account), await scan(place, query(secretsStreamOf('ca1')))]
  },
  absent: [undefined, undefined, [], []],
  steps: [
    { write: (t, { store }) => addSharedSecret(t, store.seal, secret, content), expected: [secret, content, ['ca1'], [secret.id]] },
    { write: (t) => endSharedSecret(t, over), expected: [over, undefined, ['ca1'], [secret.id]] },
  ],
  remove: (t) => removeSharedSecret(t, over),
})

describe('queries of shared secrets', () => {
  const all = repositories()

  it('return the secrets of the given accesses, or of all, by time', async () => {
    const account = await all.account()
    const place = { store: all.store, account }
    const second = { ...secret, id: 'cjx0000000000000000000002', accessId: 'ca2', time: 5 }
    await account.write((t) => [secret, second].forEach((one) => addSharedSecret(t, all.store.seal, one, content)))
    expect(await accessesWithSecrets(account)).toEqual(['ca1', 'ca2'])
    expect(await scan(place, query(SECRETS_ROOT, secretsStreamOf('ca1'), secretsStreamOf('ca2')))).toEqual([second.id, secret.id])
    expect(await scan(place, query(secretsStreamOf('ca2')))).toEqual([second.id])
    const window = { from: 0, to: 7, includeRunning: false }
    expect(await scan(place, { ...query(secretsStreamOf('ca1'), secretsStreamOf('ca2')), window })).toEqual([second.id])
    expect(await scan(place, query('diary'))).toEqual([])
    const texts = [...(await all.keys()).values()].map((value) => Buffer.from(value, 'hex').toString())
    expect(texts.join('\n')).not.toContain('four-digits')
  })

  it('remove the streams of secrets from queries of events', () => {
    const { streams } = query('diary', secretsStreamOf('ca1'))
    expect(withoutSecrets(streams)[0]?.any).toEqual(new Set(['diary']))
    const others = query('diary').streams
    expect(withoutSecrets(others)).toBe(others)
  })
})
