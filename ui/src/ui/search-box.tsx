import { CloseButton, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { t } from "@/lib/i18n";
import { useKeys } from "./keys";

export interface SearchBoxProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder: string;
  /** pause in typing after which the change is told; 0 tells every letter */
  readonly delayMs?: number;
  readonly width?: number;
  /** smaller where the filters beside it need the room, so that they stay on one line */
  readonly yields?: boolean;
}

const SEARCH_PX_MIN = 120;

/** The search of a list; `/` puts the focus there, Escape takes it away. */
export function SearchBox(props: SearchBoxProps) {
  const { value, onChange, placeholder, delayMs = 0, width = 240, yields = false } = props;
  const [text, setText] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setText(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  useKeys({ "/": () => input.current?.focus() });

  const change = (next: string) => {
    setText(next);
    clearTimeout(timer.current);
    if (delayMs === 0) onChange(next);
    else timer.current = setTimeout(() => onChange(next), delayMs);
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
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        // browsers empty a search by it: then nobody could go on by keys with what was found
        event.preventDefault();
        event.currentTarget.blur();
      }}
    />
  );
}
