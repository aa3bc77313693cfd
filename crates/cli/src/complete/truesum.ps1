# PowerShell completion for truesum: the candidates come from the program itself.
Register-ArgumentCompleter -Native -CommandName truesum -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @()
    $current = ''
    foreach ($element in $commandAst.CommandElements | Select-Object -Skip 1) {
        $extent = $element.Extent
        if ($extent.StartOffset -ge $cursorPosition) {
            break
        }
        if ($extent.EndOffset -ge $cursorPosition) {
            $current = $extent.Text.Substring(0, $cursorPosition - $extent.StartOffset).TrimStart('"', "'")
        } elseif ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) {
            $words += $element.Value
        } else {
            $words += $extent.Text
        }
    }
    # PowerShell before 7.3 omits empty arguments, unless they are quotes.
    $passing = Get-Variable -Name PSNativeCommandArgumentPassing -ValueOnly -ErrorAction Ignore
    $last = $current
    if ($current -eq '' -and $passing -notin 'Standard', 'Windows') {
        $last = '""'
    }
    $program = $commandAst.GetCommandName()
    $names, $lines = & $program __complete @words $last 2>$null
    # In a list such as sha256,blake3 only the word after the last comma is replaced.
    $done = ''
    if ($current.EndsWith($wordToComplete, 'Ordinal')) {
        $done = $current.Substring(0, $current.Length - $wordToComplete.Length)
    }
    $results = @()
    foreach ($line in $lines) {
        $word, $about = $line -split "`t", 2
        if (-not $about) {
            $about = $word
        }
        if ($word.StartsWith($done, 'Ordinal')) {
            $word = $word.Substring($done.Length)
        }
        $results += [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $about)
    }
    if ($names -ne 'nothing') {
        $found = @($results | ForEach-Object { Split-Path -Leaf $_.ListItemText })
        foreach ($file in [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete)) {
            $isFolder = $file.ResultType -eq 'ProviderContainer'
            if ($file.ListItemText -notin $found -and ($isFolder -or $names -ne 'folders')) {
                $results += $file
            }
        }
    }
    if ($results.Count -eq 0) {
        # Without any result, PowerShell would offer the names of files.
        $results = ''
    }
    $results
}
