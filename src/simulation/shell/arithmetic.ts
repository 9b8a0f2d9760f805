/** `$((…))`: whole numbers, variables and the operators of C that scripts use. */

export class ArithmeticError extends Error {}

const tokenAt = /\s*(?:(\d+)|([A-Za-z_]\w*)|(<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>()!~&|^?:]))/y;
/** From the weakest on. */
const levels: readonly (readonly string[])[] = [
  ["||"],
  ["&&"],
  ["|"],
  ["^"],
  ["&"],
  ["==", "!="],
  ["<", "<=", ">", ">="],
  ["<<", ">>"],
  ["+", "-"],
  ["*", "/", "%"],
];
const depthMax = 100;

/** Throws ArithmeticError. */
export function evaluate(text: string, variable: (name: string) => string): number {
  const tokens: string[] = [];
  for (let at = 0; at < text.trimEnd().length; at = tokenAt.lastIndex) {
    tokenAt.lastIndex = at;
    const [, number, name, sign] = tokenAt.exec(text) ?? [];
    const token = number ?? name ?? sign;
    if (token === undefined) throw new ArithmeticError(`arithmetic syntax error: "${text.slice(at, at + 20)}"`);
    tokens.push(token);
  }
  if (tokens.length === 0) return 0;
  let [at, depth] = [0, 0];

  const binary = (level: number): number => {
    if (level === levels.length) return unary();
    let left = binary(level + 1);
    while (levels[level]!.includes(tokens[at] ?? "")) left = apply(tokens[at++]!, left, binary(level + 1));
    return left;
  };
  const ternary = (): number => {
    if (++depth > depthMax) throw new ArithmeticError("expression is nested too deeply");
    const condition = binary(0);
    if (tokens[at] === "?") {
      at++;
      const yes = ternary();
      if (tokens[at++] !== ":") throw new ArithmeticError('":" is missing');
      const no = ternary();
      depth--;
      return condition !== 0 ? yes : no;
    }
    depth--;
    return condition;
  };
  const unary = (): number => {
    const token = tokens[at++] ?? "";
    if (++depth > depthMax) throw new ArithmeticError("expression is nested too deeply");
    const value = operand(token);
    depth--;
    return value;
  };
  const operand = (token: string): number => {
    if (token === "-") return -unary() || 0;
    if (token === "+") return unary();
    if (token === "!") return unary() === 0 ? 1 : 0;
    if (token === "~") return ~unary();
    if (token === "(") {
      const value = ternary();
      if (tokens[at++] !== ")") throw new ArithmeticError('")" is missing');
      return value;
    }
    if (/^\d/.test(token)) return Number(token);
    if (!/^[A-Za-z_]/.test(token)) throw new ArithmeticError("a number is missing");
    const value = variable(token).trim();
    if (value === "") return 0;
    if (!/^-?\d{1,15}$/.test(value)) throw new ArithmeticError(`"${value.slice(0, 50)}" is not a number`);
    return Number(value);
  };

  const result = ternary();
  if (at < tokens.length) throw new ArithmeticError(`unexpected "${tokens[at]}"`);
  return result;
}

function apply(sign: string, a: number, b: number): number {
  const flag = (is: boolean) => (is ? 1 : 0);
  switch (sign) {
    case "||":
      return flag(a !== 0 || b !== 0);
    case "&&":
      return flag(a !== 0 && b !== 0);
    case "|":
      return a | b;
    case "^":
      return a ^ b;
    case "&":
      return a & b;
    case "==":
      return flag(a === b);
    case "!=":
      return flag(a !== b);
    case "<":
      return flag(a < b);
    case "<=":
      return flag(a <= b);
    case ">":
      return flag(a > b);
    case ">=":
      return flag(a >= b);
    case "<<":
      return a << b;
    case ">>":
      return a >> b;
    case "+":
      return whole(a + b);
    case "-":
      return whole(a - b);
    case "*":
      return whole(a * b);
    default:
      if (b === 0) throw new ArithmeticError("divide by zero");
      return sign === "/" ? Math.trunc(a / b) : a % b || 0;
  }
}

/** Beyond what is exact, numbers wrap around in real shells; here they are refused. */
function whole(value: number): number {
  if (!Number.isSafeInteger(value)) throw new ArithmeticError("number is too large");
  return value;
}
