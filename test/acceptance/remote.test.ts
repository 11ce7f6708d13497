/** Tests of a remote node with the real binary: transfers of files and of a whole account. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { coffer, folder, json, start } from './support/coffer.js'

it('a remote node receives and returns files and whole accounts', async () => {
  const [home, localHome] = [folder(), folder()]
  const key = 'an operator key of more than sixteen'
  const node = await start(home, { env: { COFFER_SET_REMOTE_CONTROL_ACTIVE: 'true', COFFER_SET_AUTH_ADMIN_ACCESS_KEY: key } })
  const env = { HOME: localHome }
  const remote = async (line: string[], stdin = ''): Promise<Record<string, unknown>> => json(await coffer([...line, '--node', 'nas', '--json'], { env, stdin }))
  expect(await coffer(['nodes', 'add', 'nas', node.url, '--key-stdin'], { env, stdin: key })).toMatchObject({ code: 0 })
  await remote(['users', 'create', 'ana-lovelace', '--email', 'ana@example.org', '--password-stdin'], 'correct horse battery\n')
  await remote(['streams', 'create', 'Diary', '--id', 'diary'])
  const bytes = Buffer.alloc(3_000_000, 'a large file ')
  const file = join(localHome, 'large.bin')
  writeFileSync(file, bytes)
  const { event } = (await remote(['events', 'create', '--stream', 'diary', '--type', 'picture/attached', '--attach', file])) as { event: { id: string } }
  await remote(['events', 'show', event.id, '--save-attachments', join(localHome, 'saved')])
  expect(readFileSync(join(localHome, 'saved', 'large.bin')).equals(bytes)).toBe(true)
  expect(await remote(['users', 'export', 'ana-lovelace', '--to', join(localHome, 'ana')])).toMatchObject({ event: 'done', counts: { attachments: 1, files: 1 } })
  expect(await remote(['users', 'import', join(localHome, 'ana'), '--as', 'ana-again', '--email', 'again@example.org'])).toMatchObject({ event: 'done', refused: 0, differences: 0 })
  // No data of a node is created on the local machine.
  expect(existsSync(join(localHome, '.local', 'share'))).toBe(false)
  expect((await node.stop()).code).toBe(0)
})
