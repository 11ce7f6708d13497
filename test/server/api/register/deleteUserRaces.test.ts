/** What is still under way for an account while it is erased, and after. */
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { erase } from '../../../../src/server/api/register/deleteUser.js'
import { readUser } from '../../../../src/store/accounts/users.js'
import { newStage } from '../../../support/http/methodTable.js'
import { withNode } from '../../../support/nodes/started.js'

const at = withNode()

it('takes nothing more into the journal of an account once its deletion is there', async () => {
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
  let tried = 0
  const tryToWrite = async (): Promise<void> => {
    // As background work does that read the account's number before: it finds the user, or it does not.
    const user = readUser(node.store.db, prefix)
    const account = await node.store.account(prefix)
    if (user === undefined) tried += 1
    await account.write((t) => t.journal('user', 'update', 'late')).then(
      () => written.push(isErased ? 'after' : user === undefined ? 'while' : 'before'),
      () => {},
    )
  }
  const waiting: Promise<void>[] = []
  while (!isErased) {
    waiting.push(tryToWrite())
    await setImmediate()
  }
  await erasing
  await Promise.all([...waiting, tryToWrite()])
  expect(tried).toBeGreaterThan(1)
  expect(written.filter((when) => when !== 'before')).toEqual([])
  expect(await (await node.store.account(prefix)).write((t) => t.get('nothing')).catch((error: unknown) => error)).toMatchObject({ id: 'unknown-resource' })
})
