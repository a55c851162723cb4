import { CloseButton, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { t } from "@/lib/i18n";
import { useKeys } from "./keys";
import { useLatest } from "./latest";

export interface SearchBoxProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** somebody goes elsewhere, or presses Enter */
  readonly onLeave?: (() => void) | undefined;
  readonly placeholder: string;
  /** pause in typing after which the change is reported; 0: each letter is */
  readonly delayMs?: number;
  readonly width?: number;
  /** smaller where the filters next to it need the room, so that they stay on one line */
  readonly yields?: boolean;
}

const SEARCH_PX_MIN = 120;

/** The search of a list; `/` puts the focus there, Escape takes it away. */
export function SearchBox(props: SearchBoxProps) {
  const { value, onChange, placeholder, delayMs = 0, width = 240, yields = false, onLeave } = props;
  const [text, setText] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // texts that were reported and have not come back as the value yet: the user may have typed further meanwhile
  const reported = useRef<readonly string[]>([]);
  useEffect(() => {
    const at = reported.current.indexOf(value);
    reported.current = at < 0 ? [] : reported.current.slice(at + 1);
    if (at >= 0) return;
    clearTimeout(timer.current);
    setText(value);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  useKeys({ "/": () => input.current?.focus() });

  const report = useLatest((next: string) => {
    reported.current = next === value ? [] : [...reported.current, next];
    onChange(next);
  });
  const change = (next: string) => {
    setText(next);
    clearTimeout(timer.current);
    if (delayMs === 0) report(next);
    else timer.current = setTimeout(() => report(next), delayMs);
  };
  return (
    <TextInput
      ref={input}
      type="search"
      aria-label={placeholder}
      placeholder={placeholder}
      value={text}
      {...(yields
        ? { miw: SEARCH_PX_MIN, maw: width, flex: `1 1 ${SEARCH_PX_MIN}px` }
        : { w: width })}
      leftSection={<IconSearch size={14} aria-hidden />}
      rightSection={
        text === "" ? null : (
          <CloseButton size="xs" aria-label={t("Clear search")} onClick={() => change("")} />
        )
      }
      onChange={(event) => change(event.currentTarget.value)}
      onBlur={onLeave}
      onKeyDown={(event) => {
        if (event.key === "Enter") onLeave?.();
        if (event.key !== "Escape") return;
        // browsers empty a search by it: then nobody could go on by keys with what was found
        event.preventDefault();
        event.currentTarget.blur();
      }}
    />
  );
}
