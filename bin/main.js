/** Runs the built program. A separate file, because earlier versions of Node.js cannot parse `import()`. */
'use strict'
const { existsSync } = require('node:fs')
const nodeModule = require('node:module')
const { join } = require('node:path')
const { enableCompileCache } = require('./compileCache.js')

let isOver = false
// A command that awaits what never comes would end with 0. process.exit sets the exit code.
process.on('exit', () => {
  if (!isOver && process.exitCode === undefined) process.exitCode = 1
})

if (existsSync(join(__dirname, '../dist/cli/main.js'))) void run()
else {
  console.error('coffer: this copy of the sources is not built. Build it: npm ci && npm run build')
  process.exitCode = 1
}

async function run() {
  enableCompileCache(nodeModule)
  const { main } = await import('../dist/cli/main.js')
  await main(process.argv.slice(2))
  isOver = true
}
