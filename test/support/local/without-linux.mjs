// Loaded before a program: it then sees what it would see on a Mac, where there is no /proc and no /sys, and nobody says `linux`.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import process from 'node:process'

Object.defineProperty(process, 'platform', { value: 'darwin' })

const isHidden = (place) => /^\/(?:proc|sys)(?:\/|$)/.test(String(place))
const absent = (place) => Object.assign(new Error(`ENOENT: no such file or directory, '${place}'`), { code: 'ENOENT' })

for (const [owner, names] of [
  [fs, ['readFileSync', 'readdirSync', 'readlinkSync', 'openSync', 'statSync', 'lstatSync', 'accessSync']],
  [fs.promises, ['readFile', 'readdir', 'readlink', 'open', 'stat', 'lstat', 'access']],
]) {
  for (const name of names) {
    const real = owner[name]
    owner[name] = (place, ...rest) => {
      if (!isHidden(place)) return real(place, ...rest)
      if (owner === fs.promises) return Promise.reject(absent(place))
      throw absent(place)
    }
  }
}
const { existsSync } = fs
fs.existsSync = (place) => !isHidden(place) && existsSync(place)
syncBuiltinESMExports()
