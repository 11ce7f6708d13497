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
  summary: 'Edit the configuration file and check it',
  description:
    'Opens a copy of config.toml in $VISUAL or $EDITOR. When the editor exits, the copy is checked. A valid copy atomically ' +
    'replaces the file. An invalid one is kept next to it; the next edit continues with it.',
  examples: [{ type: 'EDITOR=nano coffer config edit', description: 'use this editor' }],
  json: '{"file","changed"}',
  reach: 'machine',
  offline: true,
  async run({ out, paths, env, home, commandFor }) {
    const editor = [env['VISUAL'], env['EDITOR']].find((each) => each !== undefined && each.trim() !== '')
    if (editor === undefined) throw usageError('No editor is set', `Set one: EDITOR=nano ${commandFor('config', 'edit')}`)
    if (!existsSync(home)) throw new CommandError(`No store in ${home}.`, { exit: 10, hint: ['Create one', 'init'] })
    const before = existsSync(paths.config) ? readFileSync(paths.config, 'utf8') : ''
    const copy = `${paths.config}.edit`
    if (!existsSync(copy)) writeFileSync(copy, before, { mode: 0o600 })
    else out.note(`Continuing with ${copy}`)
    await runEditor(editor, copy)
    const after = readFileSync(copy, 'utf8')
    loadConfig({ file: copy, env })
    const changed = after !== before
    if (changed) replaceConfigFile(paths.config, after)
    await rm(copy)
    await out.result(
      { file: paths.config, changed },
      { print: () => out.done(changed ? `${paths.config} updated. Apply to a running node: ${commandFor('restart')}` : `${paths.config} is unchanged`) },
    )
  },
})

/** Resolves when the editor exits. The name may contain options, which the shell splits. */
async function runEditor(editor: string, file: string): Promise<void> {
  const code = await new Promise<number | null>((resolve, reject) => {
    const child = spawn('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' })
    child.on('error', reject)
    child.on('close', resolve)
  })
  if (code !== 0) throw new CommandError(`The editor exited with ${code ?? 'a signal'}; nothing was changed.`, { hint: `Your edits are in ${file}` })
}
