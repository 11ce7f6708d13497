/** Compares the version of Node.js with the one that coffer needs. In the syntax of ECMAScript 5. */
'use strict'

/** Returns one line that names the version needed and how to install it; undefined if `version` is new enough for `engines` (`>=20.19`). */
exports.nodeProblem = function nodeProblem(version, engines) {
  var needed = numbersOf(engines)
  var given = numbersOf(version)
  var differs = given[0] !== needed[0] ? 0 : 1
  if (given[differs] >= needed[differs]) return undefined
  return (
    'needs Node.js ' + needed.join('.') + ' or newer; this is Node.js ' + version +
    '. Install a newer one from https://nodejs.org/en/download, or with a version manager: nvm install --lts'
  )
}

/** Returns the major and minor number of a version. */
function numbersOf(text) {
  var match = /(\d+)\.(\d+)/.exec(text)
  return [Number(match[1]), Number(match[2])]
}
