/** Secrets of a second factor appear in plain text neither on disk nor in logs, audit records or later results. */
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

it('a secret of a second factor is returned once, stored only encrypted, and never logged', async () => {
  const home = await mkdtemp(join(tmpdir(), 'coffer-mfa-'))
  const directories = placesOf(home)
  await initialise(directories)
  const node = await startTestNode({ ...trusting, 'logs.level': 'debug' }, { clock, home })
  const owner: Person = { username: 'alice', token: await registerUser(node, 'alice') }
  const calls = callsOf(node, owner)
  const { body } = await calls.activate()
  const secret = String(body['secret'])
  const tokens = [String(body['mfaToken'])]
  const used = [codeAt(secret, clock.now() - 30)]
  const { body: codes } = await calls.confirm(tokens[0] ?? '', used[0])
  const recoveryCodes = codes['recoveryCodes'] as string[]
  const answers: unknown[] = []
  const record = async (answer: Promise<{ body: unknown }>): Promise<void> => void answers.push((await answer).body)
  const login = await calls.login()
  tokens.push(String(login.body['mfaToken']))
  await record(calls.verify(tokens[1] ?? '', '000000'))
  await record(request(`${node.url}alice/mfa/challenge?auth=${tokens[1]}`, { body: {} }))
  used.push(codeAt(secret, clock.now()))
  await calls.verify(tokens[1] ?? '', used[1])
  await record(calls.verify(tokens[1] ?? '', used[1]))
  await record(calls.recover('wrong'))
  await record(calls.profile().then((profile) => ({ body: profile })))
  await record(calls.activate({ code: '000000' }))
  const records = []
  for (const action of ['auth.login', 'mfa.activate', 'mfa.confirm', 'mfa.challenge', 'mfa.verify']) {
    const found = await recordsOf({ node, username: 'alice', owner: owner.token }, [`:_audit:action-${action}`])
    expect({ action, isRecorded: found.length > 0 }).toEqual({ action, isRecorded: true })
    records.push(...found)
  }
  await node.node.store.settled()
  const secrets = [secret, ...recoveryCodes, ...tokens]
  const output = JSON.stringify([answers, records]) + node.logged.join('\n')
  for (const text of secrets) expect(output).not.toContain(text)
  await node.stop()
  const files = await readdir(home, { recursive: true, withFileTypes: true })
  const bytes = await Promise.all(files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name))))
  const disk = Buffer.concat(bytes)
  // Checks that the files contain data of the account at all.
  expect(disk.includes('mfa.confirm')).toBe(true)
  for (const text of secrets) expect(disk.includes(text)).toBe(false)
  const { checked } = await expectSound(directories)
  expect(checked['credentials']).toBe(1)
  await rm(home, { recursive: true, force: true })
})
