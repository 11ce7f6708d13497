/** A node of another machine by the real binary alone: files go there and come back, and a whole account does. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { coffer, folder, json, start } from './support/coffer.js'

it('takes files from another machine, and gives them and whole accounts to it', async () => {
  const [home, person] = [folder(), folder()]
  const key = 'an operator key of more than sixteen'
  const node = await start(home, { env: { COFFER_SET_REMOTE_CONTROL_ACTIVE: 'true', COFFER_SET_AUTH_ADMIN_ACCESS_KEY: key } })
  const env = { HOME: person }
  const far = async (line: string[], stdin = ''): Promise<Record<string, unknown>> => json(await coffer([...line, '--node', 'nas', '--json'], { env, stdin }))
  expect(await coffer(['nodes', 'add', 'nas', node.url, '--key-stdin'], { env, stdin: key })).toMatchObject({ code: 0 })
  await far(['users', 'create', 'ana-lovelace', '--email', 'ana@example.org', '--password-stdin'], 'correct horse battery\n')
  await far(['streams', 'create', 'Diary', '--id', 'diary'])
  const bytes = Buffer.alloc(3_000_000, 'a large file ')
  const file = join(person, 'large.bin')
  writeFileSync(file, bytes)
  const { event } = (await far(['events', 'create', '--stream', 'diary', '--type', 'picture/attached', '--attach', file])) as { event: { id: string } }
  await far(['events', 'show', event.id, '--save-attachments', join(person, 'saved')])
  expect(readFileSync(join(person, 'saved', 'large.bin')).equals(bytes)).toBe(true)
  expect(await far(['users', 'export', 'ana-lovelace', '--to', join(person, 'ana')])).toMatchObject({ event: 'done', counts: { attachments: 1, files: 1 } })
  expect(await far(['users', 'import', join(person, 'ana'), '--as', 'ana-again', '--email', 'again@example.org'])).toMatchObject({ event: 'done', refused: 0, differences: 0 })
  // Nothing of a node was made where the person is.
  expect(existsSync(join(person, '.local', 'share'))).toBe(false)
  expect((await node.stop()).code).toBe(0)
})
