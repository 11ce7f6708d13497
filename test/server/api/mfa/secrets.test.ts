/** Nothing of a second factor is anywhere in clear: not on disk, not in logs, not in records, not in answers. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { initialise } from '../../../../src/server/launch/init.js'
import { recordsOf } from '../../../support/people/audit.js'
import { expectSound } from '../../../support/store/check.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { placesOf, registerUser, request, startTestNode } from '../../../support/nodes/node.js'
import { callsOf, codeAt, trusting, type Person } from '../../../support/people/totp.js'

const clock = fakeClock()

it('is told to nobody after it was shown once, and the store is sound', async () => {
  const home = await mkdtemp(join(tmpdir(), 'coffer-mfa-'))
  const places = placesOf(home)
  await initialise(places)
  const node = await startTestNode({ ...trusting, 'logs.level': 'debug' }, { clock, home })
  const who: Person = { username: 'alice', token: await registerUser(node, 'alice') }
  const calls = callsOf(node, who)
  const { body } = await calls.activate()
  const secret = String(body['secret'])
  const tokens = [String(body['mfaToken'])]
  const used = [codeAt(secret, clock.now() - 30)]
  const { body: codes } = await calls.confirm(tokens[0] ?? '', used[0])
  const recoveryCodes = codes['recoveryCodes'] as string[]
  const answers: unknown[] = []
  const noted = async (answer: Promise<{ body: unknown }>): Promise<void> => void answers.push((await answer).body)
  const login = await calls.login()
  tokens.push(String(login.body['mfaToken']))
  await noted(calls.verify(tokens[1] ?? '', '000000'))
  await noted(request(`${node.url}alice/mfa/challenge?auth=${tokens[1]}`, { body: {} }))
  used.push(codeAt(secret, clock.now()))
  await calls.verify(tokens[1] ?? '', used[1])
  await noted(calls.verify(tokens[1] ?? '', used[1]))
  await noted(calls.recover('wrong'))
  await noted(calls.profile().then((profile) => ({ body: profile })))
  await noted(calls.activate({ code: '000000' }))
  const records = []
  for (const action of ['auth.login', 'mfa.activate', 'mfa.confirm', 'mfa.challenge', 'mfa.verify']) {
    const found = await recordsOf({ node, username: 'alice', owner: who.token }, [`:_audit:action-${action}`])
    expect({ action, isRecorded: found.length > 0 }).toEqual({ action, isRecorded: true })
    records.push(...found)
  }
  await node.node.store.settled()
  const hidden = [secret, ...recoveryCodes, ...tokens]
  const told = JSON.stringify([answers, records]) + node.logged.join('\n')
  for (const text of hidden) expect(told).not.toContain(text)
  await node.stop()
  const files = await readdir(home, { recursive: true, withFileTypes: true })
  const bytes = await Promise.all(files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name))))
  const disk = Buffer.concat(bytes)
  // The account is there, so that what is not found is not there.
  expect(disk.includes('mfa.confirm')).toBe(true)
  for (const text of hidden) expect(disk.includes(text)).toBe(false)
  const { checked } = await expectSound(places)
  expect(checked['credentials']).toBe(1)
  await rm(home, { recursive: true, force: true })
})
