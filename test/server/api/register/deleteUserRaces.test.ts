/** Background writes to an account during and after its deletion. */
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { erase } from '../../../../src/server/api/register/deleteUser.js'
import { readUser } from '../../../../src/store/accounts/users.js'
import { newStage } from '../../../support/http/methodTable.js'
import { withNode } from '../../../support/nodes/started.js'

const at = withNode()

it('a deleted account accepts no further journal entries', async () => {
  const { node } = at()
  const { username } = await newStage(at())
  const loaded = await node.accounts.find(username)
  if (loaded === undefined) throw new Error('no account')
  const { prefix } = loaded.account
  let isErased = false
  const erasing = erase(node, loaded).then(() => {
    isErased = true
  })
  const written: string[] = []
  let attemptsAfterDeletion = 0
  const tryToWrite = async (): Promise<void> => {
    // Like background work that read the account prefix earlier: the user exists or not.
    const user = readUser(node.store.db, prefix)
    const account = await node.store.account(prefix)
    if (user === undefined) attemptsAfterDeletion += 1
    await account.write((t) => t.journal('user', 'update', 'late')).then(
      () => written.push(isErased ? 'after' : user === undefined ? 'while' : 'before'),
      () => {},
    )
  }
  const pending: Promise<void>[] = []
  while (!isErased) {
    pending.push(tryToWrite())
    await setImmediate()
  }
  await erasing
  await Promise.all([...pending, tryToWrite()])
  expect(attemptsAfterDeletion).toBeGreaterThan(1)
  expect(written.filter((phase) => phase !== 'before')).toEqual([])
  expect(await (await node.store.account(prefix)).write((t) => t.get('nothing')).catch((error: unknown) => error)).toMatchObject({ id: 'unknown-resource' })
})
