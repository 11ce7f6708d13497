import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { loadConfig } from '../../../server/config/config.js'
import { replaceConfigFile } from '../../../server/config/editFile.js'
import { command } from '../../command.js'
import { CommandError, usageError } from '../../framework/exit.js'

/** `coffer config edit`. */
export const edit = command({
  path: ['config', 'edit'],
  summary: 'Open the configuration file in an editor, and check it',
  description:
    'Opens a copy of config.toml with $VISUAL, or $EDITOR. When the editor ends, the copy is checked: only one without mistakes takes the ' +
    'place of the file, in one step. One with mistakes is kept beside it, to go on with.',
  examples: [{ type: 'EDITOR=nano coffer config edit', says: 'with this editor' }],
  json: '{"file","changed"}',
  reach: 'machine',
  offline: true,
  async run({ out, paths, env, home, commandFor }) {
    const editor = [env['VISUAL'], env['EDITOR']].find((each) => each !== undefined && each.trim() !== '')
    if (editor === undefined) throw usageError('No editor is named', `Name one: EDITOR=nano ${commandFor('config', 'edit')}`)
    if (!existsSync(home)) throw new CommandError(`There is no store in ${home}.`, { exit: 10, hint: ['Make one', 'init'] })
    const before = existsSync(paths.config) ? readFileSync(paths.config, 'utf8') : ''
    const copy = `${paths.config}.edit`
    if (!existsSync(copy)) writeFileSync(copy, before, { mode: 0o600 })
    else out.note(`Going on with ${copy}`)
    await edited(editor, copy)
    const after = readFileSync(copy, 'utf8')
    loadConfig({ file: copy, env })
    const changed = after !== before
    if (changed) replaceConfigFile(paths.config, after)
    await rm(copy)
    await out.result(
      { file: paths.config, changed },
      { print: () => out.done(changed ? `${paths.config} changed; a running node takes it: ${commandFor('restart')}` : `${paths.config} is as before`) },
    )
  },
})

/** Resolves when the editor has ended. The name may hold options, as shells take it. */
async function edited(editor: string, file: string): Promise<void> {
  const code = await new Promise<number | null>((give, fail) => {
    const child = spawn('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' })
    child.on('error', fail)
    child.on('close', give)
  })
  if (code !== 0) throw new CommandError(`The editor ended with ${code ?? 'a signal'}; nothing was changed.`, { hint: `What was written is in ${file}` })
}
