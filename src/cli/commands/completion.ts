import { command } from '../command.js'
import { allCommands } from '../commands.js'
import { choice } from '../framework/option.js'

/** `coffer completion <shell>`. */
export const completion = command({
  path: ['completion'],
  summary: 'Print a completion script for a shell',
  arguments: { shell: choice(['bash', 'zsh', 'fish'], 'The shell', { required: true }) },
  examples: [
    { type: 'source <(coffer completion bash)', description: 'complete in this bash session' },
    { type: 'coffer completion fish > ~/.config/fish/completions/coffer.fish', description: 'complete in all fish sessions' },
  ],
  reach: 'none',
  offline: true,
  async run({ terminal }, { shell }) {
    const { completionScript } = await import('../help/completion/completion.js')
    await terminal.write(completionScript(shell, await allCommands()))
  },
})
