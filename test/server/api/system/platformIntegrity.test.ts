/** Comparison of usernames, unique values and users: docs/interface/system.md#checks. */
import { beforeAll, describe, expect, it } from 'vitest'
import { nodeKeys, under } from '../../../../src/store/engine/keys.js'
import { accountOfUsername, putUser, readUser, retireUsername } from '../../../../src/store/accounts/users.js'
import { registerUser } from '../../../support/nodes/node.js'
import { operator, withNode } from './support.js'

const node = withNode()
beforeAll(async () => {
  for (const name of ['alice', 'bobby', 'carol']) await registerUser(node(), name)
})

interface Check {
  title: string
  infos: Record<string, unknown>
  errors: string[]
}

async function checks(): Promise<[Check, Check]> {
  const { status, body } = await operator(node(), 'system/check-platform-integrity')
  expect(status).toBe(200)
  return body['checks'] as [Check, Check]
}

/** Replaces the value of a key while `look` runs. */
async function withValue(key: string, value: string | null, check: () => Promise<void>): Promise<void> {
  const { db } = node().node.store
  const before = db.get(key)
  const put = async (text: string | null): Promise<void> => {
    const batch = db.batch()
    if (text === null) batch.delete(key)
    else batch.put(key, text)
    await batch.write({ sync: false })
  }
  await put(value)
  try {
    await check()
  } finally {
    await put(before ?? null)
  }
}

const prefixOf = (username: string): string => accountOfUsername(node().node.store.db, username) ?? ''

describe('the check of the platform integrity', () => {
  it('finds no errors on a consistent node', async () => {
    expect(await checks()).toEqual([
      {
        title: 'Platform DB vs users repository',
        infos: { usersCountOnPlatform: 3, usersCountOnRepository: 3, usersWithoutName: 0, emailCrossCheckSkipped: false },
        errors: [],
      },
      { title: 'Users local index vs database', infos: { namesCount: 3, uniqueValuesCount: 3 }, errors: [] },
    ])
  })

  it('finds a user without an entry of its username', async () => {
    await withValue(nodeKeys.username('bobby'), null, async () => {
      const [platform, index] = await checks()
      expect(platform.infos).toMatchObject({ usersCountOnPlatform: 2, usersCountOnRepository: 3 })
      expect(platform.errors).toEqual([expect.stringMatching(/user bobby lacks its claim of its user name/)])
      expect(index.errors).toEqual([])
    })
  })

  it('finds a username of an unknown or another account', async () => {
    await withValue(nodeKeys.username('ghost'), '7', async () => {
      const [platform, index] = await checks()
      expect(platform.errors).toEqual([])
      expect(index.errors).toEqual(['user name ghost does not belong to account 7'])
    })
    await withValue(nodeKeys.username('bobby'), prefixOf('alice'), async () => {
      const [platform, index] = await checks()
      expect(platform.errors).toHaveLength(1)
      expect(index.errors).toEqual([`user name bobby does not belong to account ${prefixOf('alice')}`])
    })
  })

  it('finds unique values that are missing, obsolete or of unknown accounts', async () => {
    const source = node().node.store.db.keys(under(nodeKeys.uniques))
    const [key = ''] = await source.next(1)
    await source.close()
    await withValue(key, null, async () => {
      const [platform, index] = await checks()
      expect(platform.errors).toEqual([expect.stringMatching(/has a unique email without a claim/)])
      expect(index.errors).toEqual([expect.stringMatching(/2 unique values, but users have 3/)])
    })
    await withValue(nodeKeys.unique('email', 'made-up'), prefixOf('alice'), async () => {
      const [platform, index] = await checks()
      expect(platform.errors).toEqual([])
      expect(index.errors).toEqual([expect.stringMatching(/4 unique values, but users have 3/)])
    })
    await withValue(nodeKeys.unique('email', 'made-up'), '9', async () => {
      expect((await checks())[1].errors).toContain('a unique email is claimed for account 9, which has none')
    })
  })

  it('accepts former usernames', async () => {
    const account = await node().node.store.account(prefixOf('carol'))
    await account.write((t) => {
      const user = readUser(t, t.account)
      if (user === undefined) throw new Error('no user')
      putUser(t, { ...user, formerUsernames: ['caroline'] }, 'update')
      retireUsername(t, 'caroline')
    })
    const [platform, index] = await checks()
    expect(platform).toMatchObject({ infos: { usersCountOnPlatform: 3, usersCountOnRepository: 3 }, errors: [] })
    expect(index).toMatchObject({ infos: { namesCount: 4 }, errors: [] })
  })

  it('finds no errors during concurrent registrations', async () => {
    let isRunning = true
    const registering = (async () => {
      for (let n = 0; isRunning && n < 40; n++) await registerUser(node(), `meanwhile-${n}`)
    })()
    for (let n = 0; n < 20; n++) {
      for (const { errors } of await checks()) expect(errors).toEqual([])
    }
    isRunning = false
    await registering
  })
})
