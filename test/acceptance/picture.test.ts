/** Draws the terminal picture of README.md from its commands, and compares it with the file. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { expectCurrentText } from '../support/pictures/current.js'
import { terminalPicture } from '../support/pictures/terminalPicture.js'
import { binary, coffer, folder, start } from './support/coffer.js'
import { commandOnTerminal } from './support/terminal.js'

const root = dirname(dirname(binary))
const examples = fileURLToPath(new URL('../../examples', import.meta.url))

it('the terminal picture of the README shows what its commands print', { timeout: 60_000 }, async () => {
  const home = folder()
  const node = await start(home)
  const env = { COFFER_HOME: home, NODE: process.execPath, COFFER: binary }
  await coffer('users create ana-lovelace --email ana@example.org --password-stdin', { env, stdin: 'correct horse battery' })
  await coffer('streams create Weight --id weight', { env })
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  let output = ''
  for (const start of ['coffer events import', 'coffer events plot', `coffer accesses create --name 'Dr Weber'`]) {
    const line = readme.split('\n').find((each) => each.startsWith(start)) ?? expect.unreachable(start)
    const { code, raw } = await commandOnTerminal(`coffer() { "$NODE" "$COFFER" "$@"; }; ${line}`, { env, cwd: examples }).ended
    expect([code, raw]).toEqual([0, expect.anything()])
    output += `\u001b[1m$ ${line}\u001b[0m\r\n${raw}`
  }
  // Values that differ between runs.
  const [, id = ''] = /Access (\w+) created/.exec(output) ?? []
  const fixed = output
    .replaceAll(id, 'hq0z6sujddk3554rpsade8m5')
    .replace(/http:\/\/\w+@127\.0\.0\.1:\d+\//, 'http://p1yo6w8zpqepg6wch7b4xzey@127.0.0.1:3000/')
    .replace(/(until\s+)\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/, '$12026-12-26 09:30:00')
  expectCurrentText('terminal.svg', await terminalPicture('coffer imports a CSV file, plots it, and creates a link', `${fixed}$ `))
  await node.stop()
})
