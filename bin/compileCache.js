/** Keeps the compiled program on disk, which Node.js can from version 22 on: a start takes 0.8 of the time. */
'use strict'
const { statSync } = require('node:fs')
const { homedir } = require('node:os')
const { isAbsolute, join } = require('node:path')

/**
 * Enables the cache in `$XDG_CACHE_HOME/coffer`, or `~/.cache/coffer`. Only if the folder above belongs to the user of the process,
 * since compiled code is run as it is read. The folders are chosen like those of cli/framework/paths.ts, which is part of the compiled
 * program. Returns true if this Node.js has enabled the cache.
 * @param {{ enableCompileCache?: (folder: string) => { directory?: string } }} nodeModule the module `node:module`
 */
exports.enableCompileCache = function enableCompileCache(nodeModule, env = process.env) {
  if (nodeModule.enableCompileCache === undefined) return false
  const named = env['XDG_CACHE_HOME']
  const home = env['HOME'] || homedir()
  const isNamed = named !== undefined && isAbsolute(named)
  if (!isOwn(isNamed ? named : home)) return false
  const folder = join(isNamed ? named : join(home, '.cache'), 'coffer')
  return nodeModule.enableCompileCache(folder).directory !== undefined
}

function isOwn(folder) {
  if (process.getuid === undefined) return true
  const stats = statSync(folder, { throwIfNoEntry: false })
  return stats !== undefined && stats.uid === process.getuid()
}
