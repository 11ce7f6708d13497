#!/usr/bin/env node
/**
 * Entry point of the program. In the syntax of ECMAScript 5, like nodeVersion.js, so that a Node.js of any age reads it
 * and prints which version it takes.
 */
'use strict'
var problem = require('./nodeVersion.js').nodeProblem(process.version, require('../package.json').engines.node)
if (problem === undefined) {
  require('./main.js')
} else {
  console.error('coffer ' + problem)
  process.exitCode = 1
}
